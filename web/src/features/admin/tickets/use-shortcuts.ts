import { useEffect, useEffectEvent } from 'react'

/** What a key does; a key that is not in the map does what it always does. */
export type Shortcuts = Readonly<Record<string, (target: HTMLElement) => void>>

const TEXT = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

/** Whether the key is meant for what has the focus, or for the browser. */
function isTaken(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return true
  if (!(target instanceof HTMLElement)) return true
  // A modal dialog has the keyboard to itself.
  return target.matches(TEXT) || document.querySelector('dialog[open]') !== null
}

/** Single keys for the whole page, while nobody is typing and no dialog is open. */
export function useShortcuts(shortcuts: Shortcuts, enabled: boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const action = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined
    if (!action || isTaken(event)) return
    event.preventDefault()
    action(event.target as HTMLElement)
  })

  useEffect(() => {
    if (!enabled) return
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [enabled])
}
