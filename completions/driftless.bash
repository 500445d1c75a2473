# bash completion for driftless; installed as PREFIX/share/bash-completion/completions/driftless
_driftless_files() { # folders, and files that end in one of the given endings
    local ending
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"
        for ending; do compgen -f -X "!*.$ending" -- "$cur"; done)
}

_driftless() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run check init equations export compare view --help --version" -- "$cur")
        return
    fi
    case $previous in
    --form | --forms)
        mapfile -t COMPREPLY < <(compgen -W "psf psi1 eom eom2 eom1 uode ggl baumgarte odae ext316 ext317
            pinv tangent partition explicit implicit qr svd" -- "$cur")
        return
        ;;
    --method | --methods)
        mapfile -t COMPREPLY < <(compgen -W "radau radau1 radau5 radau9 radau13 bdf bdf1 bdf2 bdf3 bdf4 bdf5 trapezoidal midpoint bdf trapezoidal midpoint
            half-explicit explicit-pair" -- "$cur")
        return
        ;;
    --start) mapfile -t COMPREPLY < <(compgen -W "project as-given" -- "$cur") && return ;;
    --evaluation) mapfile -t COMPREPLY < <(compgen -W "auto tape native recursion" -- "$cur") && return ;;
    --output)
        case $command in
        run) _driftless_files csv h5 hdf5 ;;
        equations) _driftless_files txt tex ;;
        export) _driftless_files c ;;
        view) _driftless_files html svg ;;
        esac
        return
        ;;
    --report) _driftless_files html && return ;;
    --plot) _driftless_files svg && return ;;
    --baumgarte-alpha | --baumgarte-beta | --independent | --columns | --to | --from | --rtol | --atol | --every | --first-step | --max-step | --fixed-step | --max-steps | --set | --tol | --limit)
        return
        ;;
    esac
    if [[ $cur != -* ]]; then
        if [ "$command" = view ]; then _driftless_files h5 hdf5; else _driftless_files lua; fi
        return
    fi
    case $command in
    run) options="--to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --independent --start --method --first-step --max-step
        --fixed-step --max-steps --evaluation --output --report --plot --columns --json" ;;
    check) options="--from --rtol --atol --form --json" ;;
    init) options="--from --rtol --atol --form --lua --json" ;;
    equations) options="--output --latex --frames" ;;
    export) options="--output --c --octave" ;;
    compare) options="--to --from --forms --methods --tol --limit --first-step --max-step --fixed-step
        --max-steps --evaluation --report --plot --json" ;;
    view)
        mapfile -t COMPREPLY < <(compgen -W "--output --columns --quiet --help" -- "$cur")
        return
        ;;
    *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options --set --quiet --help" -- "$cur")
}
complete -F _driftless driftless
