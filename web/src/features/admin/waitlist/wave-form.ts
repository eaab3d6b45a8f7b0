import type { WaveStart } from '@/lib/api/types'

/** What is typed; an empty field does not restrict. */
export interface WaveForm {
  people: string
  percent: string
  search: string
  source: string
  /** A day, and a moment, in the time zone of who types. */
  joinedBefore: string
  startsAt: string
  perMinute: string
  /** The update channel that the approved get; empty for none. */
  channel: string
}

export const empty: WaveForm = {
  people: '',
  percent: '',
  search: '',
  source: '',
  joinedBefore: '',
  startsAt: '',
  perMinute: '',
  channel: '',
}

/** A moment as the API has it. What is no time stays as it is for the API to refuse: left out, it would mean 'now'. */
const momentOf = (text: string) => {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

/** The wave that was asked for. */
export function startOf(waveId: string, form: WaveForm): WaveStart {
  const joinedBefore = form.joinedBefore && momentOf(`${form.joinedBefore}T00:00`)
  const startsAt = form.startsAt && momentOf(form.startsAt)
  const search = form.search.trim()
  return {
    waveId,
    ...(form.people && { people: Number(form.people) }),
    ...(form.percent && { percent: Number(form.percent) }),
    ...(search && { search }),
    ...(form.source && { source: form.source as NonNullable<WaveStart['source']> }),
    ...(joinedBefore && { joinedBefore }),
    ...(startsAt && { startsAt }),
    ...(form.perMinute && { perMinute: Number(form.perMinute) }),
    ...(form.channel && { channel: form.channel as NonNullable<WaveStart['channel']> }),
  }
}
