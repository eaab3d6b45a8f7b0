import { Box, chakra, Grid } from '@chakra-ui/react'
import { type ReactNode, useId, useState } from 'react'
import { Input, Select } from '@/components/app/field'
import { ticketCategories, ticketPriorities } from '@/components/app/tickets/words'
import { toastError } from '@/components/app/toast'
import { useAuth } from '@/features/session/use-auth'
import { useEditTicketMutation, useGetDeskQuery } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type {
  Ticket,
  TicketCategory,
  TicketDesk,
  TicketEdit,
  TicketPriority,
} from '@/lib/api/types'
import { titled } from '@/lib/words'

interface TriageProps {
  ticket: Ticket & { desk: TicketDesk }
  /** The ticket was changed. */
  onEdited: () => void
}

/** Whose work the ticket is, its priority, category and tags. Each is saved when it is chosen. */
export function Triage({ ticket, onEdited }: TriageProps) {
  const [edit, { isLoading }] = useEditTicketMutation()
  const change = async (values: Omit<TicketEdit, 'ticketId'>) => {
    try {
      await edit({ ticketId: ticket.id, ...values }).unwrap()
    } catch (error) {
      toastError('Error', problemText(error, 'Failed to change ticket'))
    }
    onEdited()
  }
  return (
    <Grid
      as="section"
      aria-label="Work"
      aria-busy={isLoading}
      gridTemplateColumns={{ base: '1fr', sm: '1fr 1fr', md: 'repeat(4, minmax(0, 1fr))' }}
      gap="3"
    >
      <Assignee desk={ticket.desk} onChoose={(assigneeId) => void change({ assigneeId })} />
      <Labelled name="Set priority">
        {(id) => (
          <Select
            id={id}
            value={ticket.priority}
            onChange={(event) => void change({ priority: event.target.value as TicketPriority })}
          >
            <Options values={ticketPriorities} />
          </Select>
        )}
      </Labelled>
      <Labelled name="Set category">
        {(id) => (
          <Select
            id={id}
            value={ticket.category}
            onChange={(event) => void change({ category: event.target.value as TicketCategory })}
          >
            <Options values={ticketCategories} />
          </Select>
        )}
      </Labelled>
      <Tags
        key={ticket.desk.tags.join(' ')}
        tags={ticket.desk.tags}
        onChange={(tags) => void change({ tags })}
      />
    </Grid>
  )
}

function Options({ values }: { values: readonly string[] }) {
  return values.map((value) => (
    <option key={value} value={value}>
      {titled(value)}
    </option>
  ))
}

interface AssigneeProps {
  desk: TicketDesk
  onChoose: (id: string) => void
}

function Assignee({ desk, onChoose }: AssigneeProps) {
  const { user } = useAuth()
  const { data } = useGetDeskQuery()
  const others = (data?.staff ?? []).filter(({ id }) => id !== user?.id)
  const { assignee_id, assignee_email } = desk
  // Somebody who has left the list keeps the ticket until somebody else gets it.
  const listed = assignee_id === user?.id || others.some(({ id }) => id === assignee_id)
  return (
    <Labelled name="Assignee">
      {(id) => (
        <Select
          id={id}
          value={assignee_id ?? ''}
          onChange={(event) => onChoose(event.target.value)}
        >
          <option value="">Nobody</option>
          {user && <option value={user.id}>Me</option>}
          {assignee_id && !listed && <option value={assignee_id}>{assignee_email}</option>}
          {others.map((member) => (
            <option key={member.id} value={member.id}>
              {member.email}
            </option>
          ))}
        </Select>
      )}
    </Labelled>
  )
}

interface TagsProps {
  tags: readonly string[]
  onChange: (tags: string[]) => void
}

/** The tags as words with spaces between; saved on Enter and when the field is left. */
function Tags({ tags, onChange }: TagsProps) {
  const [text, setText] = useState(tags.join(' '))
  const save = () => {
    const words = text.split(/[\s,]+/).filter(Boolean)
    if (words.join(' ') !== tags.join(' ')) onChange(words)
  }
  return (
    <Labelled name="Tags">
      {(id) => (
        <Input
          id={id}
          placeholder="None"
          autoComplete="off"
          maxLength={329}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => event.key === 'Enter' && save()}
        />
      )}
    </Labelled>
  )
}

function Labelled({ name, children }: { name: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <Box minW={0}>
      <chakra.label
        htmlFor={id}
        display="block"
        mb="1"
        color="quiet"
        fontSize="xs"
        fontWeight={600}
      >
        {name}
      </chakra.label>
      {children(id)}
    </Box>
  )
}
