import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { paths } from '@/config/paths'
import type { Ticket } from '@/lib/api/types'
import { SupportForm } from './support-form'

interface SupportDialogProps {
  email: string
  open: boolean
  onClose: () => void
}

/** Asks the team something. Closing keeps what was typed; a filed ticket shows its number. */
export function SupportDialog({ email, open, onClose }: SupportDialogProps) {
  const [filed, setFiled] = useState<Ticket | null>(null)

  const closed = () => {
    setFiled(null)
    onClose()
  }
  return (
    <Dialog
      open={open}
      title="Support"
      description={filed ? undefined : 'Tell us what you need. People of the team read it.'}
      onClose={closed}
    >
      <DialogBody>
        {filed ? (
          <Filed ticket={filed} onDone={closed} />
        ) : (
          <SupportForm email={email} onFiled={setFiled} />
        )}
      </DialogBody>
    </Dialog>
  )
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
        . We answer by e-mail to <bdi dir="ltr">{ticket.user_email}</bdi>, and on your profile.
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
