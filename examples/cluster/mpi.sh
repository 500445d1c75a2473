#!/bin/bash
# A study on several machines: one job of Slurm, whose processes share one file through MPI.
#   sbatch mpi.sh            on a cluster
#   bash mpi.sh              here, with two processes
# If the job ends before the study does, submit it again: it goes on from its file.
#SBATCH --job-name=study
#SBATCH --ntasks-per-node=1
#SBATCH --nodes=4
#SBATCH --cpus-per-task=32
#SBATCH --time=04:00:00
set -eu
model=${MODEL:-../pendulum.lua}
study=${STUDY:-study.h5}
program=${DRIFTLESS:-driftless}
start="mpirun -n ${SLURM_NTASKS:-2}"
[ -n "${SLURM_NTASKS:-}" ] || start="$start --oversubscribe"
threads="--threads ${SLURM_CPUS_PER_TASK:-1}"

if [ -e "$study" ]; then
    $start "$program" sweep "$model" --resume "$study" $threads
else
    $start "$program" sweep "$model" --sample "g=normal(9.81,0.02)" --sample "m=uniform(1,2)" \
        --count "${COUNT:-100000}" --design lhs --seed 7 --output "$study" $threads
fi
