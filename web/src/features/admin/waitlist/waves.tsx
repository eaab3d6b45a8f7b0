import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { LoadFailure } from '@/components/app/load-failure'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { Wave, WaveAction } from '@/lib/api/types'
import { useChangeWaveMutation, useGetWavesQuery } from '@/lib/api/wave-api'
import { serverTime } from '@/lib/server-time'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import report from '../bulk-report.module.css'
import { type Question, QuestionDialog } from '../question'
import { givenTo, isShown, isUnderWay, isUndoable, peopleText, progressText } from './wave-words'
import styles from './waves.module.css'

/** How often waves are looked at while one is under way, and while none is. */
const SOON_MS = 2000
const LATER_MS = 30_000

const labels: Record<WaveAction, string> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  undo: 'Undo the last minute',
  drop_channel: 'Take the channel back',
}

/** What the waves under way and those that have just ended came to; `onEnd` is called when one ends. */
export function Waves({ onEnd }: { onEnd: () => void }) {
  const { data, fulfilledTimeStamp: loadedAt = 0, ...query } = useGetWavesQuery()
  const waves = data ?? []
  const now = serverTime(loadedAt)
  const ends = waves.filter((wave) => !isUnderWay(wave)).map(({ id, undone }) => id + undone)
  const soon = waves.some((wave) => wave.state === 'running' || isUndoable(wave, now))
  usePolling(query.refetch, soon ? SOON_MS : LATER_MS)
  useChange(query.isSuccess ? ends.join() : null, onEnd)
  if (!data && query.error) {
    return (
      <LoadFailure
        error={query.error}
        message="The approvals under way could not be loaded."
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return waves
    .filter((wave) => isShown(wave, now))
    .map((wave) => <WaveReport key={wave.id} wave={wave} now={now} />)
}

/** Calls `look` again and again while the page is in view. */
function usePolling(look: () => unknown, every: number) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), every)
    return () => clearInterval(timer)
  }, [look, every])
}

/** Calls `then` when the value becomes another one; null is not known yet. */
function useChange(value: string | null, then: () => void) {
  const before = useRef(value)
  useEffect(() => {
    if (value === null || value === before.current) return
    if (before.current !== null) then()
    before.current = value
  }, [value, then])
}

/** How far a wave is, what can be done with it, and who could not be approved. */
function WaveReport({ wave, now }: { wave: Wave; now: number }) {
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[role=tabpanel]'))
  const [question, setQuestion] = useState<Question | null>(null)
  const [change, { isLoading, originalArgs }] = useChangeWaveMutation()
  const { id, state, total, approved, undone, failures, channel } = wave
  const underWay = isUnderWay(wave)
  const text = progressText(wave)
  const actions: WaveAction[] = [
    ...(isUndoable(wave, now) ? (['undo'] as const) : []),
    ...(underWay ? ([state === 'paused' ? 'resume' : 'pause', 'cancel'] as const) : []),
    ...(channel && (underWay || givenTo(wave) > 0) ? (['drop_channel'] as const) : []),
  ]

  const act = async (action: WaveAction) => {
    try {
      const changed = await change({ waveId: id, action }).unwrap()
      if (action === 'undo') {
        toastSuccess(`${peopleText(changed.undone)} pending again`, 'Their emails are not sent.')
      }
    } catch (error) {
      toastError(problemText(error, 'Failed to change the approvals'))
    }
  }

  const ask = (action: WaveAction) => {
    if (action !== 'drop_channel') {
      void act(action)
      return
    }
    setQuestion({
      title: `Take ${channel} back?`,
      text: `${peopleText(givenTo(wave))} will follow the stable releases, but for those to whom staff have given a channel of their own.`,
      action: labels[action],
      onConfirm: () => void act(action),
    })
  }

  return (
    <div
      ref={part}
      role="group"
      aria-label={text}
      tabIndex={-1}
      className={report.report}
      data-failed={failures.length > 0 || undefined}
    >
      <div className={styles.head}>
        <p className={report.title}>{text}</p>
        <p role="status" className="visually-hidden">
          {state === 'running' ? 'Approving' : text}
        </p>
        <div className={styles.actions}>
          {actions.map((action) => (
            <ActionButton
              key={action === 'resume' ? 'pause' : action}
              pending={isLoading && originalArgs?.action === action}
              aria-disabled={isLoading}
              data-event={`${action}_wave`}
              onClick={() => ask(action)}
            >
              {labels[action]}
            </ActionButton>
          ))}
        </div>
      </div>
      {underWay && state !== 'scheduled' && (
        <progress className={styles.progress} aria-label="Approved" max={total} value={approved} />
      )}
      {channel && <p className={report.rest}>Update channel: {channel}.</p>}
      {isUndoable(wave, now) && (
        <p className={report.rest}>Emails are sent a minute after each approval.</p>
      )}
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
      {undone > 0 && <p className={report.rest}>{peopleText(undone)} undone.</p>}
      {failures.length > 0 && (
        <div role="region" aria-label="Not approved" tabIndex={0} className={report.failures}>
          <ul role="list">
            {failures.map((failure) => (
              <li key={failure.id}>
                <span className={report.name}>{failure.email}</span> could not be approved
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

/** A button that hands the focus to its report when it goes. */
function ActionButton(props: ComponentProps<typeof Button>) {
  const button = useRef<HTMLButtonElement>(null)
  useFocusFallback(button, (element) => element.closest('[role=group]'))
  return <Button ref={button} variant="secondary" size="dense" {...props} />
}
