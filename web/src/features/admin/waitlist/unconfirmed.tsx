import { Box, chakra } from '@chakra-ui/react'
import { useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog } from '@/components/app/dialog'
import { LoadMore } from '@/components/app/load-more'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { UnconfirmedSignUp } from '@/lib/api/types'
import { useGetUnconfirmedSignUpsInfiniteQuery } from '@/lib/api/waitlist-api'
import { formatDateTime } from '@/lib/dates'
import { whole } from '@/lib/numbers'
import { spaced } from '@/lib/words'
import styles from './waitlist-view.module.css'

interface UnconfirmedProps {
  /** How many sign-ups are yet to be confirmed. */
  count: number
  /** A part of the address, by which they are narrowed. */
  search: string
}

/** Tells of sign-ups whose address is yet to be confirmed, and shows them. */
export function Unconfirmed({ count, search }: UnconfirmedProps) {
  const [open, setOpen] = useState(false)
  if (count === 0 && !open) return null
  const people = count === 1 ? '1 person has' : `${whole(count)} people have`
  return (
    <div role="status" className={styles.undelivered}>
      {people} not confirmed their address yet.
      <Button
        variant="ghost"
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
        <SignUps search={search} />
      </Dialog>
    </div>
  )
}

function SignUps({ search }: { search: string }) {
  const query = useGetUnconfirmedSignUpsInfiniteQuery(search, { refetchOnMountOrArgChange: true })
  const region = useRef<HTMLDivElement>(null)
  const signUps = query.data?.pages.flatMap(({ data }) => data) ?? []
  if (query.error) {
    return <Alert>{problemText(query.error, 'Failed to load the sign-ups')}</Alert>
  }
  if (signUps.length === 0) {
    return <p>{query.isFetching ? 'Loading...' : 'Nobody was found.'}</p>
  }
  return (
    <>
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
                <Cell overflowWrap="anywhere">
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
      <LoadMore list={query} listRef={region} />
    </>
  )
}

/** What became of the email with the link. */
function linkText({ mail, mail_reply, ends_at }: UnconfirmedSignUp): string {
  const reply = mail_reply ? `: ${mail_reply}` : ''
  switch (mail) {
    case 'bounced':
      return `The email bounced${reply}`
    case 'given_up':
      return `The email could not be sent${reply}`
    case 'complained':
      return 'The email was marked as spam'
    case 'waiting':
      return 'The email is on its way'
    default:
      return `Works until ${formatDateTime(ends_at)}`
  }
}

const Heading = chakra(
  'th',
  { base: { px: '2', py: '2', textAlign: 'start', fontSize: 'xs', color: 'quiet' } },
  { defaultProps: { scope: 'col' } },
)

const Cell = chakra('td', {
  base: { px: '2', py: '2', verticalAlign: 'top', borderTop: '1px solid {colors.line}' },
})
