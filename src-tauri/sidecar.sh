#!/bin/sh
# Build server and agent and put them where the bundler's externalBin expects them.
# Called by beforeBuildCommand. Never bundle two profiles at once in one checkout: the file names carry none.
set -eu
cd "$(dirname "$0")/.."
triple=${TAURI_ENV_TARGET_TRIPLE:-$(rustc -vV | sed -n 's/^host: //p')}
if [ "${TAURI_ENV_DEBUG:-false}" = true ]; then profile=debug; flag=; else profile=release; flag=--release; fi
target_dir=$(cargo metadata --no-deps --format-version 1 | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
echo "Building postern-server and postern ($profile) for the bundle"
# shellcheck disable=SC2086  # an empty flag must vanish
cargo build $flag --locked -p postern-server -p postern-agent
mkdir -p src-tauri/binaries
for program in postern-server postern; do
    cp -f "$target_dir/$profile/$program" "src-tauri/binaries/$program-$triple"
done
