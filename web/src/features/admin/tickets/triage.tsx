import { Box, chakra, Grid, Text } from '@chakra-ui/react'
import { type ReactNode, useId } from 'react'
import { Input, Select } from '@/components/app/field'
import { ticketCategories, ticketPriorities } from '@/components/app/tickets/words'
import { toastError } from '@/components/app/toast'
import { useAuth } from '@/features/session/use-auth'
import {
  mergedTags,
  type TicketChange,
  useEditTicketMutation,
  useGetDeskQuery,
} from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { Ticket, TicketDesk } from '@/lib/api/types'
import { Options } from '../options'
import { useStaffDraftOver } from '../use-staff-draft'
import type { OwnEdit } from './use-ticket'

interface TriageProps {
  ticket: Ticket & { desk: TicketDesk }
  /** A change was saved, and is shown; without `edit` it could not be saved. */
  onSent: (edit?: OwnEdit) => void
}

/** Whose work the ticket is, its priority, category and tags. Each is saved when it is chosen. */
export function Triage(props: TriageProps) {
  return (
    <Grid
      as="section"
      aria-label="Work"
      gridTemplateColumns={{ base: '1fr', sm: '1fr 1fr', md: 'repeat(4, minmax(0, 1fr))' }}
      gap="3"
    >
      <Assignee {...props} />
      <Choice {...props} field="priority" values={ticketPriorities} />
      <Choice {...props} field="category" values={ticketCategories} />
      <Tags {...props} />
    </Grid>
  )
}

type Change = Omit<TicketChange, 'ticketId'>

/** Edits a ticket; what is `sent` is shown until it is answered. */
function useEdit({ ticket, onSent }: TriageProps) {
  const [edit, { isLoading, originalArgs }] = useEditTicketMutation()
  /** Resolves to whether the change was saved. */
  const send = async (change: Change): Promise<boolean> => {
    const sending: TicketChange = { ticketId: ticket.id, ...change }
    const { data, error } = await edit(sending)
    if (error) toastError('Error', problemText(error, 'Failed to change ticket'))
    onSent(data && { edit: sending, version: data.data.version })
    return !error
  }
  return { send, sent: isLoading ? originalArgs : undefined }
}

interface ChoiceProps extends TriageProps {
  field: 'priority' | 'category'
  values: readonly string[]
}

function Choice({ field, values, ...props }: ChoiceProps) {
  const { send, sent } = useEdit(props)
  const value = sent?.[field] ?? props.ticket[field]
  return (
    <Labelled name={`Set ${field}`}>
      {(id) => (
        <Select
          id={id}
          aria-busy={sent !== undefined}
          value={value}
          onChange={(event) => void send({ [field]: event.target.value } as Change)}
        >
          <Options values={values} value={value} />
        </Select>
      )}
    </Labelled>
  )
}

function Assignee(props: TriageProps) {
  const { ticket } = props
  const { user } = useAuth()
  const { data } = useGetDeskQuery()
  const { send, sent } = useEdit(props)
  const others = (data?.staff ?? []).filter(({ id }) => id !== user?.id)
  const { assignee_id, assignee_email } = ticket.desk
  // Somebody who has left the list keeps the ticket until somebody else gets it.
  const listed = assignee_id === user?.id || others.some(({ id }) => id === assignee_id)
  return (
    <Labelled name="Assignee">
      {(id) => (
        <Select
          id={id}
          aria-busy={sent !== undefined}
          value={sent?.assigneeId ?? assignee_id ?? ''}
          onChange={(event) => void send({ assigneeId: event.target.value })}
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

/** The tags in a text, as the server spells them. */
const tagsIn = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)

/** What was typed over other tags than those that are saved, as a text over these. */
function rebased(typed: string, over: string, saved: string): string {
  const tags = mergedTags(tagsIn(typed), tagsIn(over), tagsIn(saved)).join(' ')
  return /[\s,]$/.test(typed) ? `${tags} ` : tags
}

/**
 * The tags as words with spaces between; saved on Enter and when the field is left. A colleague may change them meanwhile:
 * only what was typed is changed.
 */
function Tags(props: TriageProps) {
  const { ticket } = props
  const { send, sent } = useEdit(props)
  const saved = ticket.desk.tags.join(' ')
  const [text, setText] = useStaffDraftOver(`ticket-tags:${ticket.id}`, saved, rebased)
  const note = useId()
  const save = async () => {
    if (sent) return
    const tags = tagsIn(text)
    const tagsBefore = ticket.desk.tags
    if (tags.join(' ') === saved || (await send({ tags, tagsBefore }))) setText(saved)
  }
  return (
    <Labelled name="Tags">
      {(id) => (
        <form
          name="ticket_tags"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <Input
            id={id}
            aria-describedby={note}
            placeholder="None"
            autoComplete="off"
            maxLength={329}
            readOnly={sent !== undefined}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => void save()}
          />
          <Text id={note} mt="1" color="quiet" fontSize="xs">
            {text !== saved && (sent ? 'Saving...' : 'Not saved. Press Enter to save.')}
          </Text>
        </form>
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
