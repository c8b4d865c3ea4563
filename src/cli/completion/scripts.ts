/** Shells that completion is written for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of `shells`. */
export type Shell = (typeof shells)[number];

/**
 * The words in each shell's own way. All three ask the hidden command `__complete`, so that what
 * they offer is what this connectorctl can do; what it answers is taken as text and never evaluated.
 * Nobody can answer a question there, and no error may get into the line that is being typed.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // Keeps to what bash 3.2 has, which is macOS' own.
  bash: `# bash completion for connectorctl
_connectorctl() {
  local line=\${COMP_LINE:0:COMP_POINT} tab=$'\\t' piece current before answer i
  local -a words=()
  # Bash ends words at = and : too. A piece that no blank is before belongs to the word before it.
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
  # What is written into the line takes the place of the last piece alone.
  current=\${words[\${#words[@]} - 1]}
  if [[ $piece != *[!=:]* ]]; then piece=; fi
  before=\${current%"$piece"}
  COMPREPLY=()
  while IFS= read -r answer; do
    if [[ $answer == :files ]]; then
      if ! compopt -o default 2>/dev/null; then
        while IFS= read -r answer; do
          COMPREPLY+=("$(printf %q "$answer")")
        done < <(compgen -f -- "$piece")
      fi
      return
    fi
    answer=\${answer%%"$tab"*}
    if [[ $answer == "$current"* ]]; then COMPREPLY+=("\${answer#"$before"}"); fi
  done < <(command connectorctl __complete -- "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -F _connectorctl connectorctl
`,
  zsh: `#compdef connectorctl
# zsh completion for connectorctl
_connectorctl() {
  local answer word tab=$'\\t'
  local -a answers described
  answers=("\${(@f)$(command connectorctl __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  if [[ $answers[1] == :files ]]; then
    compset -P '--[^=]##='
    _files
    return
  fi
  for answer in $answers; do
    # For _describe a colon ends the word, and a backslash stands before what is to be taken as it is.
    word=\${\${answer%%$tab*}//:/\\\\:}
    answer=\${\${answer#*$tab}//\\\\/\\\\\\\\}
    described+=("$word\${answer:+:$answer}")
  done
  (( $#described )) && _describe -V connectorctl described
}
# Read as a file of fpath it is the function itself; otherwise it makes the function known.
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
    set -l answers (command connectorctl __complete -- $words "$current" 2>/dev/null </dev/null)
    if test "$answers[1]" != :files
        set -q answers[1]; and printf '%s\\n' $answers
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
