import { useEffect, useEffectEvent } from 'react'

/** Handlers by key; other keys keep their default behaviour. */
export type Shortcuts = Readonly<Record<string, (target: HTMLElement) => void>>

const TEXT = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

/** Whether the key belongs to the focused element or to the browser. */
function isTaken(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return true
  if (!(target instanceof HTMLElement)) return true
  // A modal dialog traps the focus.
  return target.matches(TEXT) || document.querySelector('dialog[open]') !== null
}

/** Keyboard shortcuts of the page; inactive while somebody is typing or a dialog is open. */
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
