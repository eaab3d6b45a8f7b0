import { useSyncExternalStore } from 'react'

const KEY = 'ticket-shortcuts'
const listeners = new Set<() => void>()

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

/** Whether single keys work: whoever speaks or has tremors can turn them off (WCAG 2.1.4). */
export function useShortcutSetting() {
  const on = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read,
    () => true,
  )
  const set = (value: boolean) => {
    try {
      if (value) localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, 'off')
    } catch {
      // Without storage the keys stay as they are.
    }
    for (const listener of listeners) listener()
  }
  return { on, set }
}
