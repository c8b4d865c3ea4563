# bash completion for connectorctl
_connectorctl() {
  local line=${COMP_LINE:0:COMP_POINT} tab=$'\t' piece current before candidate word i
  local -a words=() described=()
  # Bash also splits words at = and :. Join a piece that no blank precedes to the word before it.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ $i == 0 || $line == [[:blank:]]* ]]; then
      words+=('')
      line=${line#"${line%%[![:blank:]]*}"}
    fi
    piece=${COMP_WORDS[i]}
    if [[ $i == "$COMP_CWORD" ]]; then piece=$line; fi
    words[${#words[@]} - 1]+=$piece
    line=${line#"$piece"}
  done
  # A completion replaces only the last piece.
  current=${words[${#words[@]} - 1]}
  if [[ $piece != *[!=:]* ]]; then piece=; fi
  before=${current%"$piece"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == :files ]]; then
      if ! compopt -o default 2>/dev/null; then
        while IFS= read -r candidate; do
          COMPREPLY+=("$(printf %q "$candidate")")
        done < <(compgen -f -- "$piece")
      fi
      return
    fi
    word=${candidate%%"$tab"*}
    if [[ $word == "$current"* ]]; then
      COMPREPLY+=("${word#"$before"}")
      candidate=${candidate#*"$tab"}
      described+=("${word#"$before"}${candidate:+  $candidate}")
    fi
  done < <(command connectorctl __complete -- "${words[@]:1}" 2>/dev/null </dev/null)
  # Where Bash only lists them, for instance ids, with their descriptions.
  if [[ ${COMP_TYPE-} == 63 && ${#COMPREPLY[@]} -gt 1 ]]; then COMPREPLY=("${described[@]}"); fi
}
complete -F _connectorctl connectorctl
