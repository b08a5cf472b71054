#!/bin/sh
# Presses the function keys of htop.
. "$(dirname "$0")/workspace"
trap 'finish top' EXIT

devtools launch --name top --size 100x40 -- htop
devtools send-keys top F1 --wait 'text:Press any key to return'
devtools send-keys top Space --wait 'text:F10Quit'
devtools send-keys top F2 --wait 'text:Setup|Categories'
devtools send-keys top Escape --wait 'text:F10Quit'
devtools send-keys top F6 --wait 'text:Sort by'
devtools send-keys top Escape --wait 'gone:Sort by'
devtools send-keys top F3 'htop' --wait 'text:Search: *htop'
devtools send-keys top Escape --wait 'text:F10Quit'
devtools send-keys top F4 'htop' Enter --wait 'text:F10Quit'
devtools screen top | grep -q htop
devtools send-keys top F10 --wait exit
