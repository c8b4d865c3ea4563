#compdef connectorctl
# zsh completion for connectorctl
_connectorctl() {
  local candidate word tab=$'\t'
  local -a candidates described
  candidates=("${(@f)$(command connectorctl __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  if [[ $candidates[1] == :files ]]; then
    compset -P '--[^=]##='
    _files
    return
  fi
  for candidate in $candidates; do
    # _describe ends the word at a colon, and takes a backslash as an escape.
    word=${${candidate%%$tab*}//:/\\:}
    candidate=${${candidate#*$tab}//\\/\\\\}
    described+=("$word${candidate:+:$candidate}")
  done
  (( $#described )) && _describe -V connectorctl described
}
# As a file in fpath, this is the body of the function; otherwise register the function.
if [[ $funcstack[1] == _connectorctl ]]; then
  _connectorctl "$@"
else
  compdef _connectorctl connectorctl
fi
