import { useSyncExternalStore } from 'react'
import { serverTime } from './server-time'

const SECOND_MS = 1000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all, so that thousands of countdowns render together. */
function eachSecond(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const listener of listeners) listener()
  }, SECOND_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const never = () => () => {}

const left = (until: string | undefined) =>
  until ? Math.max(0, Math.ceil((Date.parse(until) - serverTime()) / SECOND_MS)) : 0

/** How many seconds are left until a time of the server's (ISO 8601), 0 from then on and without one. */
export function useSecondsLeft(until: string | undefined): number {
  return useSyncExternalStore(
    until ? eachSecond : never,
    () => left(until),
    () => 0,
  )
}

/** Whether that time is yet to come; renders once it has. */
export function useIsAhead(until: string | undefined): boolean {
  return useSyncExternalStore(
    until ? eachSecond : never,
    () => left(until) > 0,
    () => false,
  )
}
