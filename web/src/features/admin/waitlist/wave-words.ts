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

/** How many people have got an update channel by the wave that it has not taken back. */
export const givenTo = ({ channel, approved, undone }: Wave) =>
  channel === null ? 0 : approved - undone

/** For how long the result of a wave is shown after its end or its undo. */
const SHOWN_FOR = 10 * 60_000

/** Whether there is something to tell about the wave, or to take back. */
export function isShown(wave: Wave, now: number): boolean {
  if (isUnderWay(wave) || wave.failures.length > 0 || givenTo(wave) > 0) return true
  return Date.parse(wave.changedAt) + SHOWN_FOR > now
}

/** How far the wave is. */
export function progressText(wave: Wave): string {
  const { state, total, approved, startsAt, perMinute } = wave
  const rate = perMinute > 0 ? `, at most ${whole(perMinute)} a minute` : ''
  const soFar = `${whole(approved)} of ${peopleText(total)}`
  switch (state) {
    case 'scheduled':
      return `${peopleText(total)} will be approved from ${formatDateTime(startsAt)}${rate}`
    case 'running':
      return `Approving: ${soFar}${rate}`
    case 'paused':
      return wave.starterLostRole
        ? `Approving is paused, because ${wave.startedBy ?? 'who started it'} is no admin any more: ${soFar}`
        : `Approving is paused: ${soFar}`
    case 'cancelled':
      return `Approving was stopped: ${soFar} approved`
    default:
      return `${soFar} approved`
  }
}
