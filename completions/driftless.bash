# bash completion for driftless, made by completions/generate.c; installed as
# PREFIX/share/bash-completion/completions/driftless
_driftless_files() { # folders, and files that end in one of the given endings
    local ending
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"
        for ending; do compgen -f -X "!*.$ending" -- "$cur"; done)
}
_driftless_words() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur"); }

_driftless() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _driftless_words run check init equations export compare view linearize modes equilibrium response lqr inverse gradient optimize sweep --help --version
        return
    fi
    case $command$previous in
    run--to | export--to | compare--to | inverse--to | gradient--to | optimize--to | sweep--to) return ;;
    run--from | check--from | init--from | export--from | compare--from | linearize--from | modes--from | equilibrium--from | lqr--from | inverse--from | gradient--from | optimize--from | sweep--from) return ;;
    run--rtol | check--rtol | init--rtol | export--rtol | linearize--rtol | modes--rtol | equilibrium--rtol | response--rtol | lqr--rtol | inverse--rtol | gradient--rtol | optimize--rtol | sweep--rtol) return ;;
    run--atol | check--atol | init--atol | export--atol | linearize--atol | modes--atol | equilibrium--atol | response--atol | lqr--atol | inverse--atol | gradient--atol | optimize--atol | sweep--atol) return ;;
    run--every | export--every | inverse--every | gradient--every | optimize--every | sweep--every) return ;;
    run--form | check--form | init--form | export--form | linearize--form | modes--form | equilibrium--form | response--form | lqr--form | inverse--form | gradient--form | optimize--form | sweep--form) _driftless_words psf psi1 eom eom2 eom1 uode ggl baumgarte odae ext316 ext317 pinv tangent partition explicit implicit qr svd separation ssf; return ;;
    run--baumgarte-alpha | export--baumgarte-alpha | inverse--baumgarte-alpha | gradient--baumgarte-alpha | optimize--baumgarte-alpha | sweep--baumgarte-alpha) return ;;
    run--baumgarte-beta | export--baumgarte-beta | inverse--baumgarte-beta | gradient--baumgarte-beta | optimize--baumgarte-beta | sweep--baumgarte-beta) return ;;
    run--independent | export--independent | inverse--independent | gradient--independent | optimize--independent | sweep--independent) return ;;
    run--selectors | export--selectors | inverse--selectors | gradient--selectors | optimize--selectors | sweep--selectors) _driftless_words orthogonal unit; return ;;
    run--renewal | export--renewal | inverse--renewal | gradient--renewal | optimize--renewal | sweep--renewal) _driftless_words default on-change always never; return ;;
    run--algebraic | export--algebraic | inverse--algebraic | gradient--algebraic | optimize--algebraic | sweep--algebraic) _driftless_words auto lu qr svd; return ;;
    run--rank-tolerance | export--rank-tolerance | inverse--rank-tolerance | gradient--rank-tolerance | optimize--rank-tolerance | sweep--rank-tolerance) return ;;
    run--redundant | check--redundant | init--redundant | export--redundant | compare--redundant | linearize--redundant | modes--redundant | equilibrium--redundant | response--redundant | lqr--redundant | inverse--redundant | gradient--redundant | optimize--redundant | sweep--redundant) return ;;
    run--start | export--start | inverse--start | gradient--start | optimize--start | sweep--start) _driftless_words project as-given; return ;;
    run--method | export--method | inverse--method | gradient--method | optimize--method | sweep--method) _driftless_words radau radau1 radau5 radau9 radau13 bdf bdf1 bdf2 bdf3 bdf4 bdf5 trapezoidal midpoint half-explicit explicit-pair extrapolation; return ;;
    run--first-step | export--first-step | compare--first-step | inverse--first-step | gradient--first-step | optimize--first-step | sweep--first-step) return ;;
    run--max-step | export--max-step | compare--max-step | inverse--max-step | gradient--max-step | optimize--max-step | sweep--max-step) return ;;
    run--fixed-step | export--fixed-step | compare--fixed-step | inverse--fixed-step | gradient--fixed-step | optimize--fixed-step | sweep--fixed-step) return ;;
    run--newton-iterations | export--newton-iterations | inverse--newton-iterations | gradient--newton-iterations | optimize--newton-iterations | sweep--newton-iterations) return ;;
    run--newton-updates | export--newton-updates | inverse--newton-updates | gradient--newton-updates | optimize--newton-updates | sweep--newton-updates) return ;;
    run--newton-tolerance | export--newton-tolerance | inverse--newton-tolerance | gradient--newton-tolerance | optimize--newton-tolerance | sweep--newton-tolerance) return ;;
    run--multiplier-weight | export--multiplier-weight | inverse--multiplier-weight | gradient--multiplier-weight | optimize--multiplier-weight | sweep--multiplier-weight) return ;;
    run--jacobian-reuse | export--jacobian-reuse | inverse--jacobian-reuse | gradient--jacobian-reuse | optimize--jacobian-reuse | sweep--jacobian-reuse) return ;;
    run--reference | export--reference | inverse--reference | gradient--reference | optimize--reference | sweep--reference) _driftless_words default start stage1 stage2 stage3; return ;;
    run--prediction | export--prediction | inverse--prediction | gradient--prediction | optimize--prediction | sweep--prediction) _driftless_words extrapolate constant; return ;;
    run--differential | export--differential | inverse--differential | gradient--differential | optimize--differential | sweep--differential) _driftless_words lu qr; return ;;
    run--control | export--control | inverse--control | gradient--control | optimize--control | sweep--control) _driftless_words predictive classical; return ;;
    run--safety | export--safety | inverse--safety | gradient--safety | optimize--safety | sweep--safety) return ;;
    run--min-factor | export--min-factor | inverse--min-factor | gradient--min-factor | optimize--min-factor | sweep--min-factor) return ;;
    run--max-factor | export--max-factor | inverse--max-factor | gradient--max-factor | optimize--max-factor | sweep--max-factor) return ;;
    run--keep-low | export--keep-low | inverse--keep-low | gradient--keep-low | optimize--keep-low | sweep--keep-low) return ;;
    run--keep-high | export--keep-high | inverse--keep-high | gradient--keep-high | optimize--keep-high | sweep--keep-high) return ;;
    run--max-steps | export--max-steps | compare--max-steps | inverse--max-steps | gradient--max-steps | optimize--max-steps | sweep--max-steps) return ;;
    run--linear | check--linear | init--linear | export--linear | linearize--linear | modes--linear | equilibrium--linear | response--linear | lqr--linear | inverse--linear | gradient--linear | optimize--linear | sweep--linear) _driftless_words auto dense tree sparse; return ;;
    run--evaluation | export--evaluation | compare--evaluation | inverse--evaluation | gradient--evaluation | optimize--evaluation | sweep--evaluation) _driftless_words auto tape native recursion; return ;;
    compare--forms) _driftless_words all psf psi1 eom eom2 eom1 uode ggl baumgarte odae ext316 ext317 pinv tangent partition explicit implicit qr svd separation ssf; return ;;
    compare--methods) _driftless_words all radau radau1 radau5 radau9 radau13 bdf bdf1 bdf2 bdf3 bdf4 bdf5 trapezoidal midpoint half-explicit explicit-pair extrapolation; return ;;
    compare--tol) return ;;
    compare--limit) return ;;
    run--set | check--set | init--set | equations--set | export--set | compare--set | linearize--set | modes--set | equilibrium--set | response--set | lqr--set | inverse--set | gradient--set | optimize--set | sweep--set) return ;;
    run--input | check--input | init--input | compare--input | linearize--input | modes--input | equilibrium--input | response--input | lqr--input | inverse--input | gradient--input | optimize--input | sweep--input) return ;;
    run--start-from | check--start-from | init--start-from | linearize--start-from | modes--start-from | equilibrium--start-from | response--start-from | lqr--start-from) _driftless_files json; return ;;
    run--save) return ;;
    linearize--at | modes--at | response--at | lqr--at) return ;;
    equilibrium--at) return ;;
    linearize--steady | modes--steady | equilibrium--steady | response--steady | lqr--steady) return ;;
    response--from) return ;;
    response--to) return ;;
    response--points) return ;;
    response--step) return ;;
    response--impulse) return ;;
    response--size) return ;;
    lqr--state-weight) return ;;
    lqr--input-weight) return ;;
    linearize--inputs | response--inputs | lqr--inputs) return ;;
    linearize--outputs | response--outputs) return ;;
    linearize--along) return ;;
    equilibrium--starts) return ;;
    modes--count) return ;;
    modes--over) return ;;
    sweep--over) return ;;
    sweep--sample) return ;;
    sweep--count) return ;;
    sweep--seed) return ;;
    sweep--bootstrap) return ;;
    sweep--design) return ;;
    sweep--cases) _driftless_files csv; return ;;
    sweep--threads) return ;;
    sweep--csv) _driftless_files csv; return ;;
    sweep--resume) _driftless_files h5 hdf5; return ;;
    sweep--case-seconds) return ;;
    sweep--case-memory) return ;;
    sweep--output) _driftless_files h5 hdf5; return ;;
    sweep--columns) return ;;
    response--output) _driftless_files csv json html; return ;;
    modes--output) _driftless_files json html; return ;;
    lqr--output) _driftless_files json lua; return ;;
    inverse--output) _driftless_files csv json; return ;;
    gradient--of) return ;;
    gradient--by) return ;;
    gradient--derivatives | optimize--derivatives) return ;;
    gradient--error-control) return ;;
    optimize--starts) return ;;
    optimize--bootstrap) return ;;
    optimize--seed) return ;;
    optimize--threads) return ;;
    optimize--algorithm) return ;;
    gradient--output) _driftless_files json csv h5 hdf5 html svg; return ;;
    optimize--output) _driftless_files json csv h5 hdf5 html lua; return ;;
    linearize--output) _driftless_files json mat m h5 hdf5; return ;;
    equilibrium--output) _driftless_files json; return ;;
    run--output) _driftless_files csv h5 hdf5; return ;;
    view--output) _driftless_files html svg; return ;;
    run--report) _driftless_files html; return ;;
    compare--report) _driftless_files html; return ;;
    compare--plot) _driftless_files svg; return ;;
    run--plot) _driftless_files svg; return ;;
    run--columns | view--columns) return ;;
    equations--output) _driftless_files txt tex; return ;;
    export--output) _driftless_files c fmu; return ;;
    export--fmu) return ;;
    export--kind) return ;;
    export--projection-tolerance) return ;;
    export--sid) return ;;
    esac
    case $command$cur in
    run-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --input --allow-fmu --start-from --save --output --report --plot --columns --json --all-events --statistics --quiet --help ;;
    check-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --json --quiet --help ;;
    init-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --lua --json --quiet --help ;;
    equations-*) _driftless_words --set --allow-fmu --output --frames --latex --quiet --help ;;
    export-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --allow-fmu --output --fmu --sfunction --kind --sources --windows --projection-tolerance --c --octave --sid --quiet --help ;;
    compare-*) _driftless_words --to --from --redundant --first-step --max-step --fixed-step --accept-unconverged --max-steps --evaluation --forms --methods --tol --limit --set --input --allow-fmu --report --plot --json --quiet --help ;;
    view-*) _driftless_words --output --columns --quiet --help ;;
    linearize-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --at --steady --inputs --outputs --all --along --output --json --quiet --help ;;
    modes-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --at --steady --count --over --output --json --quiet --help ;;
    equilibrium-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --at --steady --starts --output --json --quiet --help ;;
    response-*) _driftless_words --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --at --steady --from --to --points --log --hz --step --impulse --size --inputs --outputs --output --json --quiet --help ;;
    lqr-*) _driftless_words --from --rtol --atol --form --redundant --linear --set --input --allow-fmu --start-from --at --steady --state-weight --input-weight --inputs --output --json --quiet --help ;;
    inverse-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --input --allow-fmu --output --json --quiet --help ;;
    gradient-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --input --allow-fmu --of --by --derivatives --error-control --check --output --json --quiet --help ;;
    optimize-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --input --allow-fmu --derivatives --starts --bootstrap --seed --threads --algorithm --output --json --quiet --help ;;
    sweep-*) _driftless_words --to --from --rtol --atol --every --interpolate --form --baumgarte-alpha --baumgarte-beta --lagged --turning --independent --selectors --renewal --algebraic --rank-tolerance --redundant --start --method --first-step --max-step --fixed-step --accept-unconverged --newton-iterations --newton-updates --newton-tolerance --multiplier-weight --jacobian-reuse --reference --prediction --differential --carry-accelerations --control --safety --min-factor --max-factor --keep-low --keep-high --max-steps --linear --evaluation --set --input --allow-fmu --over --sample --count --seed --bootstrap --design --cases --threads --csv --resume --replace --case-seconds --case-memory --output --columns --json --quiet --help ;;
    run*) _driftless_files lua fmu ;;
    check*) _driftless_files lua ;;
    init*) _driftless_files lua ;;
    equations*) _driftless_files lua ;;
    export*) _driftless_files lua ;;
    compare*) _driftless_files lua ;;
    view*) _driftless_files h5 hdf5 ;;
    linearize*) _driftless_files lua ;;
    modes*) _driftless_files lua ;;
    equilibrium*) _driftless_files lua ;;
    response*) _driftless_files lua ;;
    lqr*) _driftless_files lua ;;
    inverse*) _driftless_files lua ;;
    gradient*) _driftless_files lua ;;
    optimize*) _driftless_files lua ;;
    sweep*) _driftless_files lua ;;
    esac
}
complete -F _driftless driftless
