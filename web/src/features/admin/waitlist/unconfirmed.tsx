import { Box, chakra } from '@chakra-ui/react'
import { useRef, useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadMore } from '@/components/app/load-more'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import { retryLoading } from '@/lib/api/retry-loading'
import type { UnconfirmedSignUp } from '@/lib/api/types'
import { useGetUnconfirmedSignUpsInfiniteQuery } from '@/lib/api/waitlist-api'
import { formatDateTime } from '@/lib/dates'
import { whole } from '@/lib/numbers'
import { serverTime } from '@/lib/server-time'
import { spaced } from '@/lib/words'
import { undeliveredText } from './waitlist-filter'
import styles from './waitlist-view.module.css'
import { Cell, Heading } from '../small-table'

interface UnconfirmedProps {
  /** How many sign-ups are yet to be confirmed. */
  count: number
}

/** Tells of sign-ups whose address is yet to be confirmed, and shows them. */
export function Unconfirmed({ count }: UnconfirmedProps) {
  const [open, setOpen] = useState(false)
  if (count === 0 && !open) return null
  const people = count === 1 ? '1 person has' : `${whole(count)} people have`
  return (
    <div className={styles.undelivered}>
      <span role="status">{people} not confirmed their address yet.</span>
      <Button
        variant="secondary"
        size="dense"
        data-event="show_unconfirmed"
        onClick={() => setOpen(true)}
      >
        Show who
      </Button>
      <Dialog
        open={open}
        size="page"
        title="Not confirmed yet"
        description="They have signed up, and are on the waitlist once they confirm their address by the link in an email. A sign-up is deleted a week after its last email."
        onClose={() => setOpen(false)}
      >
        <DialogBody>
          <SignUps />
        </DialogBody>
      </Dialog>
    </div>
  )
}

function SignUps() {
  const query = useGetUnconfirmedSignUpsInfiniteQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const region = useRef<HTMLDivElement>(null)
  const signUps = query.data?.pages.flatMap(({ data }) => data) ?? []
  if (signUps.length === 0 && !query.error) {
    if (!query.isFetching) return <p>Everybody has confirmed.</p>
    return (
      <>
        <LoadingStatus>Loading the sign-ups</LoadingStatus>
        <Skeleton height="6rem" />
      </>
    )
  }
  return (
    <>
      {signUps.length > 0 && (
        <Box ref={region} overflow="auto" tabIndex={0} role="region" aria-label="Sign-ups">
          <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
            <caption className="visually-hidden">Not confirmed yet</caption>
            <thead>
              <tr>
                {['Email', 'Source', 'Signed up', 'Link'].map((title) => (
                  <Heading key={title}>{title}</Heading>
                ))}
              </tr>
            </thead>
            <tbody>
              {signUps.map((signUp) => (
                <tr key={signUp.email}>
                  <Cell minW="11rem" overflowWrap="anywhere">
                    <bdi dir="ltr">{signUp.email}</bdi>
                  </Cell>
                  <Cell>{spaced(signUp.source)}</Cell>
                  <Cell>{formatDateTime(signUp.created_at)}</Cell>
                  <Cell>{linkText(signUp)}</Cell>
                </tr>
              ))}
            </tbody>
          </chakra.table>
        </Box>
      )}
      {query.error && (
        <LoadFailure
          error={query.error}
          message="Failed to load the sign-ups"
          retrying={query.isFetching}
          onRetry={() => retryLoading(query)}
        />
      )}
      <LoadMore list={query} listRef={region} />
    </>
  )
}

/** What became of the email with the link. */
function linkText({ mail, mail_reply, ends_at }: UnconfirmedSignUp): string {
  switch (mail) {
    case 'bounced':
    case 'given_up':
      return undeliveredText({ mail, mail_reply })
    case 'complained':
      return 'The email was marked as spam'
    case 'waiting':
      return 'The email is on its way'
    default:
      return `${Date.parse(ends_at) > serverTime() ? 'Works until' : 'Ended on'} ${formatDateTime(ends_at)}`
  }
}
