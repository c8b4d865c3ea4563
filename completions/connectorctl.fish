# fish completion for connectorctl
function __connectorctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l candidates (command connectorctl __complete -- $words "$current" 2>/dev/null </dev/null)
    if test "$candidates[1]" != :files
        set -q candidates[1]; and printf '%s\n' $candidates
        return
    end
    set -l before (string match -r -- '^--[^=]+=' $current)
    for path in (__fish_complete_path (string replace -r -- '^--[^=]+=' '' $current))
        printf '%s\n' "$before$path"
    end
end
complete -c connectorctl -e
complete -c connectorctl -f -a '(__connectorctl_complete)'
