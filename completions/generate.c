/* generate.c: completions of shells and the options of the manual page, from the tables of options.

   usage: generate bash|zsh|fish            prints the completion
          generate manual < docs/driftless.1   prints the page with its section OPTIONS made anew

   `make completions` writes the files; a test compares them with what this program prints. */
#include "cli/command_line.h"

#include <ctype.h>
#include <string.h>

static void print_bash(void);
static void print_bash_values(void);
static void print_bash_options(void);
static void print_zsh(void);
static void print_zsh_option(const cli_option *opt);
static void print_fish(void);
static void print_fish_option(const cli_option *opt);
static int print_manual(void);
static void print_manual_options(void);
static void print_manual_group(unsigned commands);
static void print_manual_option(const cli_option *opt);
static void print_marked(const char *text);
static void print_help(const char *text, bool zsh);
static void print_endings(const char *endings, const char *between);
static void print_words(const cli_option *opt);
static void print_commands(unsigned commands, const char *between, const char *before_last);

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (!strcmp(what, "manual"))
        return print_manual();
    if (!strcmp(what, "bash"))
        print_bash();
    else if (!strcmp(what, "zsh"))
        print_zsh();
    else if (!strcmp(what, "fish"))
        print_fish();
    else
        return fputs("usage: generate bash|zsh|fish|manual\n", stderr), 2;
    return 0;
}

static void print_bash(void)
{
    puts("# bash completion for driftless, made by completions/generate.c; installed as\n"
         "# PREFIX/share/bash-completion/completions/driftless\n"
         "_driftless_files() { # folders, and files that end in one of the given endings\n"
         "    local ending\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"\n"
         "        for ending; do compgen -f -X \"!*.$ending\" -- \"$cur\"; done)\n"
         "}\n"
         "_driftless_words() { mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$cur\"); }\n"
         "\n"
         "_driftless() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local command=${COMP_WORDS[1]}\n"
         "    COMPREPLY=()");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        _driftless_words ");
    print_commands(CLI_ALL, " ", " ");
    puts(" --help --version\n        return\n    fi\n    case $command$previous in");
    print_bash_values();
    puts("    esac\n    case $command$cur in");
    print_bash_options();
    for (int i = 0; i < CLI_COMMANDS; i++)
        printf("    %s*) _driftless_files %s ;;\n", cli_commands[i].name, cli_commands[i].endings);
    puts("    esac\n}\ncomplete -F _driftless driftless");
}

/* The values of options that take one. */
static void print_bash_values(void)
{
    cli_option opt;
    for (int i = 0; cli_option_at(&opt, i); i++) {
        if (!opt.value)
            continue;
        const char *before = "    ";
        for (int k = 0; k < CLI_COMMANDS; k++)
            if (cli_commands[k].bit & opt.commands) {
                printf("%s%s--%s", before, cli_commands[k].name, opt.name);
                before = " | ";
            }
        printf(")");
        if (opt.words) {
            printf(" _driftless_words ");
            print_words(&opt);
            printf(";");
        } else if (opt.endings) {
            printf(" _driftless_files %s;", opt.endings);
        }
        puts(" return ;;");
    }
}

static void print_bash_options(void)
{
    cli_option opt;
    for (int k = 0; k < CLI_COMMANDS; k++) {
        printf("    %s-*) _driftless_words", cli_commands[k].name);
        for (int i = 0; cli_option_at(&opt, i); i++)
            if (opt.commands & cli_commands[k].bit)
                printf(" --%s", opt.name);
        puts(" ;;");
    }
}

static void print_zsh(void)
{
    puts("#compdef driftless\n"
         "# zsh completion for driftless, made by completions/generate.c; installed as\n"
         "# PREFIX/share/zsh/site-functions/_driftless\n"
         "if (( CURRENT == 2 )); then\n"
         "    local -a commands\n"
         "    commands=(");
    for (int i = 0; i < CLI_COMMANDS; i++)
        printf("        '%s:%s'\n", cli_commands[i].name, cli_commands[i].purpose);
    puts("    )\n"
         "    _describe command commands\n"
         "    _arguments '--help[explain the program]' '--version[print the version]'\n"
         "    return\n"
         "fi\n"
         "local command=$words[2]\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "case $command in");
    for (int k = 0; k < CLI_COMMANDS; k++) {
        cli_option opt;
        printf("%s)\n    _arguments \\\n", cli_commands[k].name);
        for (int i = 0; cli_option_at(&opt, i); i++)
            if (opt.commands & cli_commands[k].bit)
                print_zsh_option(&opt);
        printf("        '1:file:_files -g \"*.(");
        print_endings(cli_commands[k].endings, "|");
        puts(")(-.)\"'\n    ;;");
    }
    puts("esac");
}

static void print_zsh_option(const cli_option *opt)
{
    printf("        '%s--%s[", opt->kind == CLI_LIST ? "*" : "", opt->name);
    print_help(opt->help, true);
    printf("]");
    if (opt->value) {
        printf(":");
        for (const char *c = opt->value; *c && *c != ':'; c++)
            putchar(tolower((unsigned char)*c));
        printf(":");
    }
    if (opt->words) {
        printf("(");
        print_words(opt);
        printf(")");
    } else if (opt->endings) {
        printf("_files -g \"*.(");
        print_endings(opt->endings, "|");
        printf(")(-.)\"");
    }
    puts("' \\");
}

static void print_fish(void)
{
    cli_option opt;
    puts("# fish completion for driftless, made by completions/generate.c; installed as\n"
         "# PREFIX/share/fish/vendor_completions.d/driftless.fish\n"
         "complete -c driftless -f\n"
         "complete -c driftless -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c driftless -n __fish_use_subcommand -l help -s h -d 'explain the program'");
    for (int i = 0; i < CLI_COMMANDS; i++)
        printf("complete -c driftless -n __fish_use_subcommand -a %s -d '%s'\n",
               cli_commands[i].name, cli_commands[i].purpose);
    for (int i = 0; i < CLI_COMMANDS; i++) {
        printf("complete -c driftless -n '__fish_seen_subcommand_from %s' -k -a "
               "'(__fish_complete_suffix .",
               cli_commands[i].name);
        print_endings(cli_commands[i].endings, "; __fish_complete_suffix .");
        puts(")'");
    }
    for (int i = 0; cli_option_at(&opt, i); i++)
        print_fish_option(&opt);
}

static void print_fish_option(const cli_option *opt)
{
    printf("complete -c driftless -n '__fish_seen_subcommand_from ");
    print_commands(opt->commands, " ", " ");
    printf("' -l %s ", opt->name);
    if (opt->value)
        printf("-x ");
    if (opt->words) {
        printf("-a '");
        print_words(opt);
        printf("' ");
    } else if (opt->endings) {
        printf("-k -a '(__fish_complete_suffix .");
        print_endings(opt->endings, "; __fish_complete_suffix .");
        printf(")' ");
    }
    printf("-d '");
    print_help(opt->help, false);
    puts("'");
}

/* Copies the page; the section OPTIONS is made anew. */
static int print_manual(void)
{
    char line[1000];
    bool skip = false;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, ".Sh ", 4))
            skip = false;
        if (!skip)
            fputs(line, stdout);
        if (!strcmp(line, ".Sh OPTIONS\n")) {
            print_manual_options();
            skip = true;
        }
    }
    return 0;
}

/* Options in groups that belong to the same commands, in the order of their first ones. */
static void print_manual_options(void)
{
    unsigned done[64] = {0};
    int ndone = 0;
    cli_option opt;
    for (int i = 0; cli_option_at(&opt, i); i++) {
        bool known = false;
        for (int k = 0; k < ndone; k++)
            known = known || done[k] == opt.commands;
        if (known)
            continue;
        if (ndone > 0)
            puts(".Pp");
        print_manual_group(opt.commands);
        done[ndone++] = opt.commands;
    }
}

static void print_manual_group(unsigned commands)
{
    cli_option opt;
    if (commands == CLI_ALL) {
        puts("Options of all commands:");
    } else {
        printf("Options of\n.Cm ");
        print_commands(commands, " ,\n.Cm ", "\nand\n.Cm ");
        puts(" :");
    }
    puts(".Bl -tag -width Ds");
    for (int i = 0; cli_option_at(&opt, i); i++)
        if (opt.commands == commands)
            print_manual_option(&opt);
    puts(".El");
}

static void print_manual_option(const cli_option *opt)
{
    printf(".It Fl -%s", opt->name);
    if (opt->value) {
        printf(" Ar ");
        for (const char *c = opt->value; *c; c++)
            putchar(tolower((unsigned char)*c));
    }
    putchar('\n');
    if (opt->manual) {
        print_marked(opt->manual);
    } else {
        putchar(toupper((unsigned char)opt->help[0]));
        printf("%s.\n", opt->help + 1);
    }
    if (opt->unit)
        printf("Unit: %s.\n", opt->unit);
    if (opt->standard)
        printf("Default: %s.\n", opt->standard);
}

/* Text as lines of mdoc: one sentence per line; `word` is set as a command, an option or a path,
   with the punctuation that follows it. */
static void print_marked(const char *text)
{
    bool begins = true; /* a line */
    while (*text) {
        if (*text == '`') {
            const size_t length = strcspn(text + 1, "`");
            const char *word = text + 1, *after = text + length + 2;
            if (!begins)
                putchar('\n');
            if (!strncmp(word, "--", 2))
                printf(".Fl -%.*s", (int)length - 2, word + 2);
            else
                printf(".%s %.*s",
                       *word == '.'   ? "Pa"
                       : *word == '-' ? "Ql"
                                      : "Cm",
                       (int)length, word);
            for (; *after && strchr(",.;:)", *after); after++)
                printf(" %c", *after);
            putchar('\n');
            begins = true;
            text = after + strspn(after, " ");
        } else {
            const bool ends = text[0] == '.' && (text[1] == ' ' || !text[1]);
            if (!(*text == ' ' && text[1] == '`'))
                putchar(*text);
            begins = ends;
            text++;
            if (ends) {
                putchar('\n');
                text += strspn(text, " ");
            }
        }
    }
    if (!begins)
        putchar('\n');
}

/* A line of help inside quotation marks of a shell, without marks. */
static void print_help(const char *text, bool zsh)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(zsh ? "'\\''" : "\\'", stdout);
        else if (zsh && (*text == '[' || *text == ']'))
            printf("\\%c", *text);
        else if (*text != '`')
            putchar(*text);
}

/* Endings of files, with text between them. */
static void print_endings(const char *endings, const char *between)
{
    for (; *endings; endings++)
        if (*endings == ' ')
            fputs(between, stdout);
        else
            putchar(*endings);
}

/* The words that a value may be. */
static void print_words(const cli_option *opt)
{
    if (opt->several)
        printf("all ");
    for (int i = 0; opt->words[i]; i++)
        printf("%s%s", i ? " " : "", opt->words[i]);
}

/* The names of commands, with text between them. */
static void print_commands(unsigned commands, const char *between, const char *before_last)
{
    int left = 0;
    for (int i = 0; i < CLI_COMMANDS; i++)
        left += (cli_commands[i].bit & commands) != 0;
    for (int i = 0; i < CLI_COMMANDS; i++)
        if (cli_commands[i].bit & commands) {
            left--;
            printf("%s%s", cli_commands[i].name, left > 1 ? between : left == 1 ? before_last : "");
        }
}
