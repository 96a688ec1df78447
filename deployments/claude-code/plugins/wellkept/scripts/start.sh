#!/bin/sh
# Hands an event to the Wellkept of this user, and says so where there is none.
launcher="${WELLKEPT_HOME:-$HOME/.wellkept}/bin/wellkept-hook"
[ -x "$launcher" ] || launcher=$(command -v wellkept-hook) || launcher=
[ -n "$launcher" ] && exec "$launcher" "$1" --client plugin
case "$1" in
  front) event=UserPromptSubmit ;;
  session-start) event=SessionStart ;;
  *) exit 0 ;;
esac
said="Memory unavailable: wellkept is not set up for this user (wellkept install)."
printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}' "$event" "$said"
