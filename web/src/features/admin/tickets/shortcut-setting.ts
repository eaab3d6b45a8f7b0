import { useSyncExternalStore } from 'react'
import { browserStore } from '@/lib/storage'

const KEY = 'ticket-shortcuts'
const listeners = new Set<() => void>()

const read = () => browserStore.get(KEY) !== 'off'

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
    // Without storage the keys stay as they are.
    if (value) browserStore.remove(KEY)
    else browserStore.set(KEY, 'off')
    for (const listener of listeners) listener()
  }
  return { on, set }
}
