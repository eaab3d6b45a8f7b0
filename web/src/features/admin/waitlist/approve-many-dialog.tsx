import { Box, Flex, Grid, Text } from '@chakra-ui/react'
import { type ComponentProps, type FormEvent, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { Input, Select } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import { usePreviewWaveQuery, useStartWaveMutation } from '@/lib/api/wave-api'
import { MAX_SEARCH, searchOf } from '../parameters'
import { sourceNames } from './waitlist-row'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { useStaffDraftName, useStaffForm } from '../use-staff-draft'
import { empty, startOf, type WaveForm } from './wave-form'
import { peopleText } from './wave-words'
import { useDebounced } from './use-debounced'

interface ApproveManyDialogProps {
  /** The search of the list. */
  search: string
  onClose: () => void
}

/** What the drafts of this dialog are called. */
const DRAFT = 'approve-many'

/** A number of people or a share of them: typing one empties the other. */
const instead: Partial<Record<keyof WaveForm, Partial<WaveForm>>> = {
  people: { percent: '' },
  percent: { people: '' },
}

/** Approves all that match or the next so many, now or later, and says how many those are. */
export function ApproveManyDialog({ search, onClose }: ApproveManyDialogProps) {
  const [open, setOpen] = useState(true)
  const [form, setForm] = useStaffForm<WaveForm>(DRAFT, { ...empty, search })
  const waveIds = useIdempotencyKey(useStaffDraftName(DRAFT))
  const [previewId] = useState(() => crypto.randomUUID())
  const start = startOf(previewId, form)
  const { debounced: who, pending } = useDebounced(start)
  const preview = usePreviewWaveQuery(who, { refetchOnMountOrArgChange: true })
  const [send, { isLoading: sending, error }] = useStartWaveMutation()
  const count = !pending && !preview.isFetching && preview.isSuccess ? preview.data.total : null

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!count || sending) return
    // The same wave as in a try whose answer was lost.
    const started = await send({ ...start, waveId: waveIds.keyFor(JSON.stringify(form)) })
    if (!started.error) setOpen(false)
  }
  const close = () => {
    setForm(null)
    waveIds.accepted()
    onClose()
  }
  const field = (name: keyof WaveForm) => ({
    value: form[name],
    onChange: ({ target }: { target: { value: string } }) => {
      if (sending) return
      const typed = name === 'search' ? searchOf(target.value) : target.value
      setForm({ ...form, ...instead[name], [name]: typed })
    },
  })
  const failure = error ?? (pending ? undefined : preview.error)

  return (
    <Dialog
      open={open}
      title="Approve many"
      description="Pending people are approved in the background, those who have waited longest first, except for people whose invitation has expired. Emails are sent a minute after each approval; until then it can be undone."
      busy={sending}
      onClose={close}
    >
      <DialogForm name="approve_many" onSubmit={(event) => void submit(event)}>
        <Grid columns={2} gap="4" templateColumns="repeat(auto-fit, minmax(min(13rem, 100%), 1fr))">
          <Labelled label="How many">
            <NumberInput placeholder="All who match" {...field('people')} />
          </Labelled>
          <Labelled label="Or a share, in percent">
            <NumberInput max={100} {...field('percent')} />
          </Labelled>
          <Labelled label="Email contains">
            <Input type="text" placeholder="Anything" maxLength={MAX_SEARCH} {...field('search')} />
          </Labelled>
          <Labelled label="Source">
            <Select {...field('source')}>
              <option value="">Any</option>
              {Object.entries(sourceNames).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          </Labelled>
          <Labelled label="Joined before">
            <Input type="date" max="9999-12-31" {...field('joinedBefore')} />
          </Labelled>
          <Labelled label="Start at" hint="Empty: now">
            <Input type="datetime-local" max="9999-12-31T23:59" {...field('startsAt')} />
          </Labelled>
          <Labelled label="At most a minute" hint="Empty: no limit">
            <NumberInput {...field('perMinute')} />
          </Labelled>
          <Labelled label="Update channel">
            <Select {...field('channel')}>
              <option value="">stable</option>
              <option>beta</option>
              <option>alpha</option>
            </Select>
          </Labelled>
        </Grid>
        <Text role="status" mt="4" minH="1.5em" color="muted" fontSize="sm">
          {count === null
            ? !failure && 'Counting...'
            : count === 0
              ? 'Nobody who can be approved matches. People whose invitation has expired are left out.'
              : `${peopleText(count)} will be approved, get an email and can download the app.`}
        </Text>
        {failure && (
          <Box mt="4">
            <Alert problem="action_failed">{problemText(failure)}</Alert>
          </Box>
        )}
        <Flex wrap="wrap-reverse" justify="flex-end" gap="3" mt="6">
          <Button
            variant="secondary"
            aria-disabled={sending}
            data-event="close_dialog"
            onClick={() => setOpen(false)}
          >
            Cancel
          </Button>
          <Button type="submit" disabled={!count} pending={sending} data-event="approve_many">
            {sending ? 'Starting...' : count ? `Approve ${peopleText(count)}` : 'Approve'}
          </Button>
        </Flex>
      </DialogForm>
    </Dialog>
  )
}

function NumberInput(props: ComponentProps<'input'>) {
  return <Input type="number" inputMode="numeric" min={1} max={1_000_000} step={1} {...props} />
}
