import { Box, chakra, Flex } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { Select } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadMore } from '@/components/app/load-more'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import {
  type MailFilter,
  useChangeMailsMutation,
  useGetMailsInfiniteQuery,
} from '@/lib/api/mail-api'
import { problemText } from '@/lib/api/problem'
import { retryLoading } from '@/lib/api/retry-loading'
import type { Mail, MailChange } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { whole } from '@/lib/numbers'
import { focusIfLost, useFocusFallback } from '@/lib/use-focus-fallback'
import type { Question } from '../question'
import { Cell, Heading } from '../small-table'

const names: Record<Mail['state'], string> = {
  bounced: 'Bounced',
  given_up: 'Given up',
  suppressed: 'Not sent because of a report',
  put_off: 'Put off, tried again',
  waiting: 'Waiting',
  sent: 'Sent',
}

/** How many emails a call changes at most. */
const MAX_CHANGED = 100

interface MailsProps extends Pick<MailFilter, 'service'> {
  /** Asks before emails are deleted. */
  onAsk: (question: Question) => void
}

/** The emails of a service by state, and what can be done with those that were not delivered. */
export function Mails({ service, onAsk }: MailsProps) {
  const [state, setState] = useState<Mail['state']>('bounced')
  const query = useGetMailsInfiniteQuery({ service, state }, { refetchOnMountOrArgChange: true })
  const [change, { isLoading, originalArgs }] = useChangeMailsMutation()
  const part = useRef<HTMLDivElement>(null)
  const region = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('dialog'))
  // Not those of another state while the ones of this are loaded: they would be changed by its buttons.
  const pages = query.currentData?.pages ?? []
  const mails = pages.flatMap(({ data }) => data)
  const none = mails.length === 0 && !query.error
  const counts = new Map(query.data?.pages[0]?.counts.map(({ state: of, count }) => [of, count]))
  // A button goes with its row.
  useEffect(() => focusIfLost(region.current), [mails.length])
  const isOpen = state !== 'sent' && state !== 'waiting'

  const act = async (ids: number[], action: MailChange['action']) => {
    try {
      const { ids: changed } = await change({ service, ids, action }).unwrap()
      const emails = changed.length === 1 ? '1 email' : `${whole(changed.length)} emails`
      if (changed.length === 0) toastError('Somebody else has changed them meanwhile')
      else toastSuccess(action === 'resend' ? `${emails} will be sent again` : `${emails} deleted`)
    } catch (error) {
      toastError(problemText(error, 'Failed to change the emails'))
    }
  }
  const buttons = (ids: number[], what: string) =>
    (['resend', 'drop'] as const).map((action) => (
      <Button
        key={action}
        variant={action === 'drop' ? 'ghost' : 'secondary'}
        size="dense"
        aria-label={`${action === 'resend' ? 'Send again' : 'Delete'} ${what}`}
        aria-disabled={isLoading}
        pending={isLoading && originalArgs?.action === action && sameIds(originalArgs.ids, ids)}
        data-event={`${action}_mail`}
        onClick={() => {
          if (isLoading) return
          if (action === 'drop') onAsk(deletion(ids.length, () => void act(ids, action)))
          else void act(ids, action)
        }}
      >
        {action === 'resend' ? 'Send again' : 'Delete'}
      </Button>
    ))

  return (
    <div ref={part}>
      <Flex wrap="wrap" gap="3" align="flex-end" justify="space-between" mb="4">
        <Labelled label="State">
          <Select value={state} onChange={({ target }) => setState(target.value as Mail['state'])}>
            {Object.entries(names).map(([value, name]) => {
              const count = counts.get(value as Mail['state'])
              return (
                <option key={value} value={value}>
                  {count === undefined ? name : `${name} (${whole(count)})`}
                </option>
              )
            })}
          </Select>
        </Labelled>
        {isOpen && mails.length > 1 && (
          <Flex wrap="wrap" gap="2">
            {buttons(
              mails.slice(0, MAX_CHANGED).map(({ id }) => id),
              `the ${whole(Math.min(mails.length, MAX_CHANGED))} emails shown first`,
            )}
          </Flex>
        )}
      </Flex>
      {none && query.isFetching && (
        <>
          <LoadingStatus>Loading the emails</LoadingStatus>
          <Skeleton height="6rem" />
        </>
      )}
      {none && !query.isFetching && <p role="status">No emails in this state.</p>}
      {mails.length > 0 && (
        <Box ref={region} overflow="auto" tabIndex={0} role="region" aria-label="Emails">
          <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
            <caption className="visually-hidden">{names[state]}</caption>
            <thead>
              <tr>
                {['To', 'Subject', 'Queued', 'Result'].map((title) => (
                  <Heading key={title}>{title}</Heading>
                ))}
                {isOpen && (
                  <Heading>
                    <span className="visually-hidden">Actions</span>
                  </Heading>
                )}
              </tr>
            </thead>
            <tbody>
              {mails.map((mail) => (
                <tr key={mail.id}>
                  <Cell minW="11rem" overflowWrap="anywhere">
                    <bdi dir="ltr">{mail.to}</bdi>
                  </Cell>
                  <Cell minW="8rem" overflowWrap="anywhere">
                    {mail.subject}
                  </Cell>
                  <Cell>{formatDateTime(mail.queuedAt)}</Cell>
                  <Cell>{resultText(mail)}</Cell>
                  {isOpen && (
                    <Cell>
                      <Flex gap="2">{buttons([mail.id], `the email to ${mail.to}`)}</Flex>
                    </Cell>
                  )}
                </tr>
              ))}
            </tbody>
          </chakra.table>
        </Box>
      )}
      {query.error && (
        <LoadFailure
          error={query.error}
          message="Failed to load the emails"
          retrying={query.isFetching}
          onRetry={() => retryLoading(query)}
        />
      )}
      <LoadMore list={query} listRef={region} />
    </div>
  )
}

const sameIds = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a[0] === b[0]

const deletion = (count: number, onConfirm: () => void): Question => ({
  title: count === 1 ? 'Delete the email?' : `Delete ${whole(count)} emails?`,
  text: 'It cannot be undone, and nothing is sent.',
  action: 'Delete',
  destructive: true,
  onConfirm,
})

/** What the mail server said, and when it is tried again or ended. */
function resultText({ reply, replyAt, nextTryAt, endedAt }: Mail): string {
  const said = reply && `${reply}${replyAt && replyAt !== 'report' ? ` to ${replyAt}` : ''}`
  const when = nextTryAt
    ? `next try ${formatDateTime(nextTryAt)}`
    : endedAt && formatDateTime(endedAt)
  return [said, when].filter(Boolean).join(', ')
}
