import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { paths } from '@/config/paths'
import type { Ticket } from '@/lib/api/types'
import { SupportForm } from './support-form'

interface SupportContentProps {
  email: string
  /** The ticket that has just been filed. */
  filed: Ticket | null
  onFiled: (ticket: Ticket) => void
  onDone: () => void
}

/** The form, and once it has been sent the ticket's number. */
export function SupportContent({ email, filed, onFiled, onDone }: SupportContentProps) {
  if (filed) return <Filed ticket={filed} onDone={onDone} />
  return <SupportForm email={email} onFiled={onFiled} />
}

function Filed({ ticket, onDone }: { ticket: Ticket; onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that was pressed has left with the form.
  useEffect(() => heading.current?.focus(), [])
  return (
    <Box role="status">
      <Heading as="h3" ref={heading} tabIndex={-1} outline="none" fontSize="lg" mb="2">
        We have your message
      </Heading>
      <Text color="muted">
        Your ticket is{' '}
        <Box as="strong" color="ink" fontVariantNumeric="tabular-nums">
          {ticket.ticket_id}
        </Box>
        . We reply by email to <bdi dir="ltr">{ticket.user_email}</bdi>, and in your profile.
      </Text>
      <Flex wrap="wrap" gap="3" mt="5">
        <Button onClick={onDone}>Done</Button>
        <Button asChild variant="outline">
          <Link href={`${paths.profile}#my-tickets`} onClick={onDone}>
            See my tickets
          </Link>
        </Button>
      </Flex>
    </Box>
  )
}
