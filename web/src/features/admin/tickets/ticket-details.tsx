import { Box, chakra, Flex } from '@chakra-ui/react'
import { useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { DialogBody } from '@/components/app/dialog'
import { LoadingStatus } from '@/components/app/loading-status'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { EarlierMessages } from '@/components/app/tickets/earlier-messages'
import { Thread } from '@/components/app/tickets/thread'
import { useEarlier } from '@/components/app/tickets/use-earlier'
import { RetryButton } from '@/components/retry-button'
import { useLazyGetEarlierForStaffQuery } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { StaffTicketMessage, Ticket, TicketDetail } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { CannedAnswers } from './canned-answers'
import { ConflictBar } from './conflict-bar'
import { Customer } from './customer'
import { MailTrouble } from './mail-trouble'
import { Notes } from './notes'
import { ResponseForm } from './response-form'
import { staffName } from './staff-name'
import { SectionTitle, TicketFacts } from './ticket-facts'
import { TicketHistory } from './ticket-history'
import { Triage } from './triage'
import { useTicket } from './use-ticket'
import { useViewers } from './use-viewers'
import { Viewers } from './viewers'

interface TicketDetailsProps {
  id: string
  listed: Ticket | undefined
  response: string
  onResponse: (text: string) => void
  /** The ticket was updated. */
  onDone: () => void
}

/** Everything about one ticket, and below it the answer, which stays in view on larger screens. */
export function TicketDetails(props: TicketDetailsProps) {
  const { id, response, onResponse } = props
  const open = useTicket(props)
  const { ticket, detail, changes } = open
  const others = useViewers(
    id,
    cleanText(response) !== '',
    (version, lastNote) => void open.follow(version, lastNote),
  )
  return (
    <Scroll>
      <Flex direction="column" gap="5">
        <Viewers others={others} news={open.news} />
        {ticket && (
          <PartBoundary resetKey={ticket}>
            <TicketFacts ticket={ticket} />
          </PartBoundary>
        )}
        {detail?.mail_trouble && <MailTrouble trouble={detail.mail_trouble} />}
        {detail && (
          <PartBoundary resetKey={detail}>
            <Customer email={detail.user_email} ticketId={id} />
          </PartBoundary>
        )}
        {detail?.desk && (
          <PartBoundary resetKey={detail}>
            <Triage ticket={{ ...detail, desk: detail.desk }} onSent={open.saved} />
          </PartBoundary>
        )}
        {open.error ? (
          <Flex wrap="wrap" align="center" gap="3">
            <Box flex="1 1 14rem">
              <Alert>{problemText(open.error, 'Failed to fetch ticket')}</Alert>
            </Box>
            <RetryButton retrying={open.fetching} onRetry={() => void open.refresh()} />
          </Flex>
        ) : detail ? (
          <PartBoundary resetKey={detail}>
            <Conversation detail={detail} />
          </PartBoundary>
        ) : (
          <Waiting />
        )}
        {detail?.desk && (
          <PartBoundary resetKey={detail}>
            <Notes ticketId={id} notes={detail.notes} onAdded={open.saved} />
          </PartBoundary>
        )}
        {detail && (
          <PartBoundary resetKey={detail}>
            <TicketHistory history={detail.history} />
          </PartBoundary>
        )}
      </Flex>
      {ticket && (
        <Foot>
          {changes && (
            <ConflictBar
              changes={changes}
              refreshing={open.fetching}
              onRefresh={() => void open.refresh()}
            />
          )}
          {detail?.desk && (
            <CannedAnswers
              ticket={detail}
              sending={open.sending !== null}
              onInsert={(text) => onResponse(response ? `${response.trimEnd()}\n\n${text}` : text)}
            />
          )}
          <ResponseForm
            status={ticket.status}
            response={response}
            onResponse={onResponse}
            sending={open.sending}
            outdated={changes !== null}
            onStatus={(status) => void open.decide(status)}
            onSend={() => void open.decide()}
          />
        </Foot>
      )}
    </Scroll>
  )
}

function Conversation({ detail }: { detail: TicketDetail }) {
  const [load] = useLazyGetEarlierForStaffQuery()
  const thread = useEarlier<StaffTicketMessage>(detail, (before) =>
    load({ id: detail.id, before }).unwrap(),
  )
  const list = useRef<HTMLElement>(null)
  if (thread.messages.length === 0) return null
  return (
    <section ref={list} tabIndex={-1}>
      <SectionTitle>Conversation</SectionTitle>
      <EarlierMessages thread={thread} listRef={list} />
      <Thread
        label="Conversation"
        messages={thread.messages}
        name={({ author_email }) => staffName(author_email)}
      />
    </section>
  )
}

function Waiting() {
  return (
    <Flex direction="column" gap="3">
      <LoadingStatus>Loading ticket...</LoadingStatus>
      <Skeleton height="0.75rem" width="9rem" />
      <Skeleton height="0.75rem" width="80%" />
    </Flex>
  )
}

const Scroll = chakra(DialogBody, { base: { pb: 0 } })

const Foot = chakra('div', {
  base: {
    position: { md: 'sticky' },
    bottom: 0,
    display: 'flex',
    flexDirection: 'column',
    gap: '3',
    mt: '5',
    // From edge to edge of the dialog's body.
    mx: 'calc(-1 * min({spacing.6}, 7vw))',
    px: 'min({spacing.6}, 7vw)',
    pt: '4',
    pb: '5',
    bg: 'raised',
    borderTop: '1px solid {colors.line}',
  },
})
