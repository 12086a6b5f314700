#!/bin/sh
# Draw every raster icon again from icon.svg and tray/*.svg (needs rsvg-convert and npx).
set -eu
cd "$(dirname "$0")"
for state in online connecting offline paused; do
    rsvg-convert -w 64 -h 64 "tray/$state.svg" -o "tray/$state.png"
done
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
rsvg-convert -w 1024 -h 1024 icon.svg -o "$drawn/icon.png"
npx --yes @tauri-apps/cli@2 icon "$drawn/icon.png" -o "$drawn/out"
cp "$drawn/out/32x32.png" "$drawn/out/64x64.png" "$drawn/out/128x128.png" "$drawn/out/128x128@2x.png" \
    "$drawn/out/icon.icns" "$drawn/out/icon.ico" "$drawn/out/icon.png" .
