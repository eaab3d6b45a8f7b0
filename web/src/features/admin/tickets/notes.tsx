import { Box, chakra, Flex } from '@chakra-ui/react'
import { type FormEvent, useId } from 'react'
import { Textarea } from '@/components/app/field'
import { PlainText } from '@/components/app/tickets/thread'
import { TooLong } from '@/components/app/tickets/too-long'
import { isTooLong } from '@/components/app/tickets/words'
import { toastError } from '@/components/app/toast'
import { Button } from '@/components/button'
import { useAddNoteMutation } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { TicketNote } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { formatDateTime } from '@/lib/dates'
import { useDraftGuard } from '../use-draft-guard'
import { useStaffDraft } from '../use-staff-draft'
import { staffName } from './staff-name'

interface NotesProps {
  ticketId: string
  notes: readonly TicketNote[]
  /** A note was added. */
  onAdded: () => void
}

/** What staff wrote for staff: customers never see it. The form is closed until somebody wants it. */
export function Notes({ ticketId, notes, onAdded }: NotesProps) {
  return (
    <Box as="section" aria-label="Internal notes">
      {notes.length > 0 && (
        <Flex as="ol" role="list" aria-label="Internal notes" direction="column" gap="2" mb="2">
          {notes.map((note) => (
            <chakra.li key={note.id} px="4" py="2" bg="caution-wash" borderRadius="sm">
              <Flex wrap="wrap" align="baseline" columnGap="3" fontSize="xs">
                <Box as="span" fontWeight={650} overflowWrap="anywhere">
                  Note by <bdi dir="ltr">{staffName(note.author_email)}</bdi>
                </Box>
                <chakra.time
                  dateTime={note.created_at}
                  color="quiet"
                  fontVariantNumeric="tabular-nums"
                >
                  {formatDateTime(note.created_at)}
                </chakra.time>
              </Flex>
              <PlainText dir="auto">{note.body}</PlainText>
            </chakra.li>
          ))}
        </Flex>
      )}
      <chakra.details fontSize="sm">
        <chakra.summary py="1" color="muted" fontWeight={600} cursor="pointer">
          Add an internal note
        </chakra.summary>
        <NoteForm ticketId={ticketId} onAdded={onAdded} />
      </chakra.details>
    </Box>
  )
}

function NoteForm({ ticketId, onAdded }: Omit<NotesProps, 'notes'>) {
  const [text, setText] = useStaffDraft(`ticket-note:${ticketId}`)
  const [add, { isLoading }] = useAddNoteMutation()
  const id = useId()
  const note = cleanText(text)
  const sendable = note !== '' && !isTooLong(note)
  useDraftGuard(note !== '')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!sendable || isLoading) return
    try {
      await add({ ticketId, note }).unwrap()
      setText('')
      onAdded()
    } catch (error) {
      toastError('Error', problemText(error, 'Failed to add note'))
    }
  }
  return (
    <Flex asChild direction="column" gap="2" mt="1">
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor={id} className="visually-hidden">
          Internal note
        </label>
        <Textarea
          id={id}
          rows={3}
          placeholder="Only staff can see this"
          readOnly={isLoading}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <TooLong message={text} />
        <div>
          <Button
            type="submit"
            size="dense"
            variant="secondary"
            disabled={!sendable}
            pending={isLoading}
            data-event="add_ticket_note"
          >
            Add note
          </Button>
        </div>
      </form>
    </Flex>
  )
}
