# Prints what a completion script offers for a command line.
#   bash complete.sh SCRIPT PROGRAM WORD...
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_$1"
printf '%s\n' "${COMPREPLY[@]}"
