#!/bin/bash
# A study without MPI: an array of jobs of Slurm, each with its own part of a grid and its own file.
#   sbatch array.sh                              on a cluster
#   SLURM_ARRAY_TASK_ID=0 bash array.sh          here, one part
# Then one table of all parts:
#   (head -n 1 part0.csv; for i in $(seq 0 15); do tail -n +2 part$i.csv; done) > table.csv
#SBATCH --job-name=study
#SBATCH --array=0-15
#SBATCH --cpus-per-task=32
#SBATCH --time=01:00:00
set -eu
model=${MODEL:-../pendulum.lua}
program=${DRIFTLESS:-driftless}
part=${SLURM_ARRAY_TASK_ID:-0}
file=part$part.h5
threads="--threads ${SLURM_CPUS_PER_TASK:-1}"

# a value of g per part, all values of m in each
gravity=$(awk -v i="$part" 'BEGIN { printf "%.17g", 5 + 10 * i / 15 }')
if [ -e "$file" ]; then
    "$program" sweep "$model" --resume "$file" --csv "part$part.csv" $threads
else
    "$program" sweep "$model" --over "g=$gravity" --over "m=1:5:${COUNT:-1000}" --output "$file" \
        --csv "part$part.csv" $threads
fi
