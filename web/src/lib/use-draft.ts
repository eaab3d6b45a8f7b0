import { useCallback, useSyncExternalStore } from 'react'
import { tabStore } from './storage'

const PREFIX = 'draft:'
const listeners = new Set<() => void>()
/** Drafts in memory, for a browser that blocks storage. */
const inMemory = new Map<string, string>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(key: string): string {
  return inMemory.get(key) ?? tabStore.get(PREFIX + key) ?? ''
}

function write(key: string, text: string): void {
  inMemory.delete(key)
  if (!text) tabStore.remove(PREFIX + key)
  else if (!tabStore.set(PREFIX + key, text)) inMemory.set(key, text)
  for (const listener of listeners) listener()
}

/** The name of a draft that a member of staff, by their id, writes about other people. */
export const staffDraft = (person: string, key: string) => `staff:${person}:${key}`

/**
 * Erases the staff drafts of the person with that id, who has signed out. What customers write themselves stays for when
 * they sign in again.
 */
export function forgetStaffDrafts(person: string): void {
  const drafts = tabStore.keys().filter((key) => key.startsWith(PREFIX))
  const keys = [...inMemory.keys(), ...drafts.map((key) => key.slice(PREFIX.length))]
  for (const key of keys) {
    if (key.startsWith(staffDraft(person, ''))) write(key, '')
  }
}

/**
 * The draft of a text and its setter; an empty text deletes it. It is stored for as long as the tab is open: it
 * survives a reload, a sign-in, and the field's unmounting. `key` says what the draft is for, and
 * has the id of the writer between colons, as another person may sign in in the same tab.
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
