import { Box, chakra, Text } from '@chakra-ui/react'
import { useId, useState } from 'react'
import { Input } from '@/components/app/field'
import { useAdjustCreditsMutation } from '@/lib/api/person-api'
import { useStaffDraft } from '../use-staff-draft'
import { ActionDialog } from './action-dialog'

/** What the API takes at a time, in either direction. */
const MOST = 10_000

const FORM = /^[+-]?\d{1,5}$|^[+-]?\d{1,5}\.\d{1,2}$/

/** The credits that were typed, such as '5', '+5.00' or '-2.50'; null for what is none. */
function creditsOf(text: string): number | null {
  const typed = text.trim().replace('−', '-')
  const credits = FORM.test(typed) ? Number(typed) : 0
  return credits !== 0 && Math.abs(credits) <= MOST ? credits : null
}

/** Gives credits to somebody, or takes some. */
export function CreditsDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const id = useId()
  const [text, setText] = useStaffDraft(`credits:${userId}`)
  // One for all tries of this adjustment: a lost answer is not given twice.
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [adjust] = useAdjustCreditsMutation()
  const amount = creditsOf(text)
  return (
    <ActionDialog
      action={{
        title: 'Adjust credits',
        text: 'What you give can be spent for 90 days. What you take is of what ends first, and never more than there is.',
        label: 'Adjust credits',
        done: 'Credits adjusted',
        event: 'adjust_credits',
        run: (reason) =>
          adjust({ userId, amount: amount ?? 0, reason, idempotencyKey: key }).unwrap(),
      }}
      subject={userId}
      ready={amount !== null}
      onClose={() => {
        setText('')
        onClose()
      }}
    >
      <Box mt="4">
        <chakra.label htmlFor={id} display="block" fontSize="sm" fontWeight={600}>
          Credits
        </chakra.label>
        <Text id={`${id}-hint`} mb="2" color="quiet" fontSize="xs">
          Such as 5.00, or -2.50 to take; at most 10,000.
        </Text>
        <Input
          id={id}
          inputMode="text"
          autoComplete="off"
          aria-describedby={`${id}-hint`}
          aria-invalid={text.trim() !== '' && amount === null}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setKey(crypto.randomUUID())
          }}
        />
      </Box>
    </ActionDialog>
  )
}
