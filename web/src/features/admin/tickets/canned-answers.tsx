import { Flex } from '@chakra-ui/react'
import { useState } from 'react'
import { Select } from '@/components/app/field'
import { Button } from '@/components/button'
import { useGetDeskQuery } from '@/lib/api/desk-api'
import type { Ticket } from '@/lib/api/types'
import { useIsAdmin } from '../staff-role'
import { AnswersDialog } from './answers-dialog'
import { fillAnswer } from './fill-answer'

interface CannedAnswersProps {
  ticket: Ticket
  /** Whether the response is on its way, and must not change any more. */
  sending: boolean
  /** A text to put into the response. */
  onInsert: (text: string) => void
}

/** Puts a canned answer into the response; admins edit the list. Nothing shows while there is none to choose or edit. */
export function CannedAnswers({ ticket, sending, onInsert }: CannedAnswersProps) {
  const { data } = useGetDeskQuery()
  const isAdmin = useIsAdmin()
  const [editing, setEditing] = useState(false)
  const answers = data?.answers ?? []
  return (
    <Flex wrap="wrap" gap="2" align="center">
      {answers.length > 0 && (
        <Select
          aria-label="Insert a canned answer"
          style={{ width: 'auto', flex: '0 1 16rem' }}
          value=""
          waiting={sending}
          onChange={(event) => {
            const answer = answers.find(({ id }) => id === event.target.value)
            if (answer) onInsert(fillAnswer(answer.body, ticket))
          }}
        >
          <option value="">Insert a canned answer…</option>
          {answers.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
      )}
      {isAdmin && (
        <Button
          variant="ghost"
          size="dense"
          data-event="edit_canned_answers"
          onClick={() => setEditing(true)}
        >
          Canned answers
        </Button>
      )}
      <AnswersDialog open={editing} answers={answers} onClose={() => setEditing(false)} />
    </Flex>
  )
}
