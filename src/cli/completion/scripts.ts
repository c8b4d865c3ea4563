/** The supported shells. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/**
 * The completion script of each shell. All call the hidden command `__complete`, so they match the
 * installed version; they treat its output as text and never evaluate it. They close stdin, so nothing
 * prompts, and discard stderr, so no error disturbs the command line.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // Works with bash 3.2, which macOS ships.
  bash: `# bash completion for connectorctl
_connectorctl() {
  local line=\${COMP_LINE:0:COMP_POINT} tab=$'\\t' piece current before candidate word i
  local -a words=() described=()
  # Bash also splits words at = and :. Join a piece that no blank precedes to the word before it.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ $i == 0 || $line == [[:blank:]]* ]]; then
      words+=('')
      line=\${line#"\${line%%[![:blank:]]*}"}
    fi
    piece=\${COMP_WORDS[i]}
    if [[ $i == "$COMP_CWORD" ]]; then piece=$line; fi
    words[\${#words[@]} - 1]+=$piece
    line=\${line#"$piece"}
  done
  # A completion replaces only the last piece.
  current=\${words[\${#words[@]} - 1]}
  if [[ $piece != *[!=:]* ]]; then piece=; fi
  before=\${current%"$piece"}
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
    word=\${candidate%%"$tab"*}
    if [[ $word == "$current"* ]]; then
      COMPREPLY+=("\${word#"$before"}")
      candidate=\${candidate#*"$tab"}
      described+=("\${word#"$before"}\${candidate:+  $candidate}")
    fi
  done < <(command connectorctl __complete -- "\${words[@]:1}" 2>/dev/null </dev/null)
  # Where Bash only lists them, for instance ids, with their descriptions.
  if [[ \${COMP_TYPE-} == 63 && \${#COMPREPLY[@]} -gt 1 ]]; then COMPREPLY=("\${described[@]}"); fi
}
complete -F _connectorctl connectorctl
`,
  zsh: `#compdef connectorctl
# zsh completion for connectorctl
_connectorctl() {
  local candidate word tab=$'\\t'
  local -a candidates described
  candidates=("\${(@f)$(command connectorctl __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  if [[ $candidates[1] == :files ]]; then
    compset -P '--[^=]##='
    _files
    return
  fi
  for candidate in $candidates; do
    # _describe ends the word at a colon, and takes a backslash as an escape.
    word=\${\${candidate%%$tab*}//:/\\\\:}
    candidate=\${\${candidate#*$tab}//\\\\/\\\\\\\\}
    described+=("$word\${candidate:+:$candidate}")
  done
  (( $#described )) && _describe -V connectorctl described
}
# As a file in fpath, this is the body of the function; otherwise register the function.
if [[ $funcstack[1] == _connectorctl ]]; then
  _connectorctl "$@"
else
  compdef _connectorctl connectorctl
fi
`,
  fish: `# fish completion for connectorctl
function __connectorctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l candidates (command connectorctl __complete -- $words "$current" 2>/dev/null </dev/null)
    if test "$candidates[1]" != :files
        set -q candidates[1]; and printf '%s\\n' $candidates
        return
    end
    set -l before (string match -r -- '^--[^=]+=' $current)
    for path in (__fish_complete_path (string replace -r -- '^--[^=]+=' '' $current))
        printf '%s\\n' "$before$path"
    end
end
complete -c connectorctl -e
complete -c connectorctl -f -a '(__connectorctl_complete)'
`,
};
