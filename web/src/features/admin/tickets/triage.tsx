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
import { useStaffForm } from '../use-staff-draft'

interface TriageProps {
  ticket: Ticket & { desk: TicketDesk }
  /** Loads the ticket again, which was changed. */
  onEdited: () => Promise<void>
}

type Change = Omit<TicketEdit, 'ticketId'>

/** Whose work the ticket is, its priority, category and tags. Each is saved when it is chosen. */
export function Triage({ ticket, onEdited }: TriageProps) {
  const [edit, { isLoading }] = useEditTicketMutation()
  // What was chosen is shown until the ticket has it.
  const [chosen, setChosen] = useState<Change>({})
  const { priority, category } = { ...ticket, ...chosen }
  /** Whether it was saved. */
  const change = async (values: Change): Promise<boolean> => {
    setChosen((now) => ({ ...now, ...values }))
    const { error } = await edit({ ticketId: ticket.id, ...values })
    if (error) toastError('Error', problemText(error, 'Failed to change ticket'))
    await onEdited()
    setChosen((now) => without(now, values))
    return !error
  }
  return (
    <Grid
      as="section"
      aria-label="Work"
      aria-busy={isLoading}
      gridTemplateColumns={{ base: '1fr', sm: '1fr 1fr', md: 'repeat(4, minmax(0, 1fr))' }}
      gap="3"
    >
      <Assignee
        desk={ticket.desk}
        chosen={chosen.assigneeId}
        onChoose={(assigneeId) => void change({ assigneeId })}
      />
      <Labelled name="Set priority">
        {(id) => (
          <Select
            id={id}
            value={priority}
            onChange={(event) => void change({ priority: event.target.value as TicketPriority })}
          >
            <Options values={ticketPriorities} value={priority} />
          </Select>
        )}
      </Labelled>
      <Labelled name="Set category">
        {(id) => (
          <Select
            id={id}
            value={category}
            onChange={(event) => void change({ category: event.target.value as TicketCategory })}
          >
            <Options values={ticketCategories} value={category} />
          </Select>
        )}
      </Labelled>
      <Tags ticketId={ticket.id} tags={ticket.desk.tags} onChange={(tags) => change({ tags })} />
    </Grid>
  )
}

/** What is chosen, apart from `values` that nobody has chosen again since. */
function without(chosen: Change, values: Change): Change {
  const rest = Object.entries(chosen).filter(
    ([name, value]) => value !== values[name as keyof Change],
  )
  return Object.fromEntries(rest)
}

/** The `values` that can be chosen, and the present one, which only a newer server may know. */
function Options({ values, value }: { values: readonly string[]; value: string }) {
  return [...new Set([...values, value])].map((one) => (
    <option key={one} value={one}>
      {titled(one)}
    </option>
  ))
}

interface AssigneeProps {
  desk: TicketDesk
  /** Who was chosen just now; the empty string is nobody. */
  chosen: string | undefined
  onChoose: (id: string) => void
}

function Assignee({ desk, chosen, onChoose }: AssigneeProps) {
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
          value={chosen ?? assignee_id ?? ''}
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
  ticketId: string
  tags: readonly string[]
  /** Saves them, and resolves to whether that was done. */
  onChange: (tags: string[]) => Promise<boolean>
}

/** The tags as words with spaces between; saved on Enter and when the field is left. */
function Tags({ ticketId, tags, onChange }: TagsProps) {
  const saved = tags.join(' ')
  // What is typed holds until the ticket has other tags.
  const [draft, setDraft] = useStaffForm(`ticket-tags:${ticketId}`, { over: saved, typed: saved })
  const text = draft.over === saved ? draft.typed : saved
  const save = async () => {
    const words = text.split(/[\s,]+/).filter(Boolean)
    if (words.join(' ') === saved || (await onChange(words))) setDraft(null)
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
          onChange={(event) => setDraft({ over: saved, typed: event.target.value })}
          onBlur={() => void save()}
          onKeyDown={(event) => event.key === 'Enter' && void save()}
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
