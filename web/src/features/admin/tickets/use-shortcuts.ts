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

/**
 * The names of the pressed key, the best first: Caps Lock makes another sign of a letter, and so does a keyboard of
 * another script, whose keys go by what a Latin one has in their place.
 */
function namesOf({ key, code }: KeyboardEvent): string[] {
  const isForeign = key.length === 1 && key > '~'
  return [key, key.toLowerCase(), isForeign ? code.replace(/^Key/, '').toLowerCase() : '']
}

/** Keyboard shortcuts of the page; inactive while somebody is typing or a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts, enabled: boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const name = namesOf(event).find((one) => Object.hasOwn(shortcuts, one))
    const action = name && shortcuts[name]
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
