import { useCallback, useSyncExternalStore } from 'react'
import { tabStore } from './storage'

const PREFIX = 'draft:'
const listeners = new Set<() => void>()
/** Drafts in memory, for a browser that blocks storage. */
const unstored = new Map<string, string>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(key: string): string {
  return unstored.get(key) ?? tabStore.get(PREFIX + key) ?? ''
}

function write(key: string, text: string): void {
  unstored.delete(key)
  if (!text) tabStore.remove(PREFIX + key)
  else if (!tabStore.set(PREFIX + key, text)) unstored.set(key, text)
  for (const listener of listeners) listener()
}

/**
 * A text that somebody is writing, and what changes it; the empty text forgets it. It is kept for as long
 * as the tab: it survives a reload, a sign-in, and whatever takes the field away. `key` names what the text
 * is for and, as another person may sign in in the same tab, contains the id of the person who writes.
 */
export function useDraft(key: string): [text: string, setText: (text: string) => void] {
  const text = useSyncExternalStore(
    subscribe,
    () => read(key),
    () => '',
  )
  const setText = useCallback((next: string) => write(key, next), [key])
  return [text, setText]
}
