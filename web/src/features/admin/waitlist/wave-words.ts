import type { Wave } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { whole } from '@/lib/numbers'

export const peopleText = (count: number) => (count === 1 ? '1 person' : `${whole(count)} people`)

/** Whether the wave has not ended. */
export const isUnderWay = ({ state }: Wave) =>
  state === 'scheduled' || state === 'running' || state === 'paused'

/** Whether its latest approvals can be undone at `now`, in milliseconds. */
export const isUndoable = ({ undoUntil }: Wave, now: number) =>
  undoUntil !== null && Date.parse(undoUntil) > now

/** For how long the result of a wave is shown after its last approval. */
const SHOWN_FOR = 10 * 60_000

/** Whether there is something to tell about the wave. */
export function isShown(wave: Wave, now: number): boolean {
  const { failures, undoUntil } = wave
  if (isUnderWay(wave) || failures.length > 0) return true
  return undoUntil !== null && Date.parse(undoUntil) + SHOWN_FOR > now
}

/** How far the wave is. */
export function progressText({ state, total, approved, startsAt, perMinute }: Wave): string {
  const rate = perMinute > 0 ? `, at most ${whole(perMinute)} a minute` : ''
  const soFar = `${whole(approved)} of ${peopleText(total)}`
  switch (state) {
    case 'scheduled':
      return `${peopleText(total)} will be approved from ${formatDateTime(startsAt)}${rate}`
    case 'running':
      return `Approving: ${soFar}${rate}`
    case 'paused':
      return `Approving is paused: ${soFar}`
    case 'cancelled':
      return `Approving was stopped: ${soFar} approved`
    default:
      return `${soFar} approved`
  }
}
