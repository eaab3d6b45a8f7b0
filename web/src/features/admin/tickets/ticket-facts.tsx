import { Box, Grid, Heading } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { CategoryBadge, PriorityBadge, TicketBadge } from '@/components/app/tickets/badges'
import { PlainText } from '@/components/app/tickets/thread'
import type { Ticket, TicketDesk } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { Fact } from '../facts'
import { PersonLink } from '../people/person-link'
import { StateBadge } from '../people/state-badge'
import { FirstAnswer } from './last-message'

/** Who asked what and when, from which system. */
export function TicketFacts({ ticket }: { ticket: Ticket }) {
  const { user_email, created_at, status, priority, category, subject, message, user_state, desk } =
    ticket
  return (
    <>
      <Facts>
        <Fact name="Customer" wide>
          <PersonLink person={user_email}>
            <bdi dir="ltr">{user_email}</bdi>
          </PersonLink>
          {user_state && (
            <>
              {' '}
              <StateBadge user={{ state: user_state }} />
            </>
          )}
        </Fact>
        <Fact name="Created">
          <time dateTime={created_at}>{formatDateTime(created_at)}</time>
        </Fact>
        <Fact name="Status">
          <TicketBadge status={status} />
        </Fact>
        <Fact name="Priority">
          <PriorityBadge priority={priority} />
        </Fact>
        <Fact name="Category">
          <CategoryBadge category={category} />
        </Fact>
        {desk && <FirstAnswerFact desk={desk} />}
      </Facts>
      <Box as="section">
        <SectionTitle>Message</SectionTitle>
        {subject && (
          <PlainText dir="auto" fontWeight={650}>
            {subject}
          </PlainText>
        )}
        <PlainText dir="auto">{message}</PlainText>
      </Box>
      <System ticket={ticket} />
    </>
  )
}

/** Until when the first answer is due, or whether it came in time; nothing without a target. */
function FirstAnswerFact({ desk: { answer_due, answered_in_time } }: { desk: TicketDesk }) {
  if (!answer_due && answered_in_time === null) return null
  return (
    <Fact name="First answer">
      {answer_due ? (
        <FirstAnswer due={answer_due} />
      ) : answered_in_time ? (
        'Answered in time'
      ) : (
        'Answered late'
      )}
    </Fact>
  )
}

function System({ ticket: { app_version, operating_system } }: { ticket: Ticket }) {
  if (!app_version && !operating_system) return null
  return (
    <Box as="section">
      <SectionTitle>System Information</SectionTitle>
      <Facts>
        {app_version && <Fact name="App Version">{app_version}</Fact>}
        {operating_system && <Fact name="OS">{operating_system}</Fact>}
      </Facts>
    </Box>
  )
}

/** The title of a part of the details. */
export function SectionTitle({ children }: { children: ReactNode }) {
  return (
    <Heading as="h3" mb="2" color="quiet" fontSize="xs" fontWeight={600} letterSpacing="normal">
      {children}
    </Heading>
  )
}

/** Facts side by side, as many as there is room for. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <Grid
      as="dl"
      gridTemplateColumns={{
        base: 'repeat(auto-fit, minmax(max(6.5rem, 35%), 1fr))',
        md: 'repeat(auto-fit, minmax(7rem, max-content))',
      }}
      columnGap="8"
      rowGap="3"
      fontSize="sm"
    >
      {children}
    </Grid>
  )
}
