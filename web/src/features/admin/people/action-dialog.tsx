import { Box, Flex } from '@chakra-ui/react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import { cleanText } from '@/lib/clean-text'
import { ReasonField } from '../reason-field'
import { useStaffDraft } from '../use-staff-draft'

/** What a member of staff may do to somebody, once they have said why. */
export interface Action {
  title: string
  /** What will happen. */
  text: ReactNode
  /** What the button says that does it. */
  label: string
  /** What the toast says afterwards. */
  done: string
  event: string
  /** Resolves to what the toast says instead, if that is a text. */
  run: (reason: string) => Promise<unknown>
}

interface ActionDialogProps {
  action: Action
  /** Whom or what it is done to: the draft of the reason is kept for it. */
  subject: string
  /** Fields above the reason, which must not change while the action is `running`. */
  children?: (running: boolean) => ReactNode
  /** Whether the fields above are filled in. */
  ready?: boolean
  onClose: () => void
}

/** Asks for the reason of an action. What the server refuses it says, and keeps what was typed. */
export function ActionDialog(props: ActionDialogProps) {
  const { action, subject, children, ready = true, onClose } = props
  const [open, setOpen] = useState(true)
  const [reason, setReason] = useStaffDraft(`reason:${action.event}:${subject}`)
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const why = cleanText(reason)
  const filled = ready && why !== ''

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!filled || running) return
    setRunning(true)
    setError(null)
    try {
      const said = await action.run(why)
      toastSuccess(typeof said === 'string' && said ? said : action.done)
      setOpen(false)
    } catch (failure) {
      setError(failure)
    }
    setRunning(false)
  }

  const close = () => {
    setReason('')
    onClose()
  }

  return (
    <Dialog
      open={open}
      title={action.title}
      description={action.text}
      busy={running}
      onClose={close}
    >
      <DialogForm name={action.event} onSubmit={(event) => void submit(event)}>
        {children?.(running)}
        <ReasonField value={reason} waiting={running} onType={setReason} />
        {error !== null && (
          <Box mt="4">
            <Alert problem="action_failed">{problemText(error)}</Alert>
          </Box>
        )}
        <Flex wrap="wrap-reverse" justify="flex-end" gap="3" mt="6">
          <Button
            variant="secondary"
            aria-disabled={running}
            data-event="cancel"
            onClick={() => setOpen(false)}
          >
            Cancel
          </Button>
          <Button type="submit" disabled={!filled} pending={running} data-event={action.event}>
            {action.label}
          </Button>
        </Flex>
      </DialogForm>
    </Dialog>
  )
}
