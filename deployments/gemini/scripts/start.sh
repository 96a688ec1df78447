#!/bin/sh
# Hands an event to the Wellkept of this user, and says so where there is none.
bin="${WELLKEPT_HOME:-$HOME/.wellkept}/bin"
[ "$1" = mcp ] && exec "$bin/wellkept" mcp
[ -x "$bin/wellkept-hook" ] && exec "$bin/wellkept-hook" "$1" --client gemini
case "$1" in
  front) event=BeforeAgent ;;
  session-start) event=SessionStart ;;
  *) exit 0 ;;
esac
said="Memory unavailable: wellkept is not set up for this user (wellkept install)."
printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}' "$event" "$said"
