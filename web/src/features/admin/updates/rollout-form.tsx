import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { useId, type SubmitEvent } from 'react'
import { Input } from '@/components/app/field'
import { Button } from '@/components/button'
import type { Release } from '@/lib/api/types'
import { useStaffDraft } from '../use-staff-draft'
import styles from './rollout-form.module.css'
import { rolloutWords } from './rollout-words'

const STOPS = [0, 10, 25, 50, 100]

interface RolloutFormProps {
  version: string
  channel: Release['channel']
  /** What the server has, in per cent. */
  percentage: number
  available: boolean
  inFlight: boolean
  onChange: (percentage: number) => void
}

/**
 * How far a release is rolled out. A press on one of the usual stops or 'Set' sends it; what is
 * shown as chosen, and said in words, is the server's state and nothing else.
 */
export function RolloutForm(props: RolloutFormProps) {
  const { version, percentage, inFlight, onChange } = props
  const words = useId()
  // What is typed holds until the server has another value.
  const [draft, setDraft] = useStaffDraft(`rollout:${version}`)
  const [over, typed = ''] = draft.split(':')
  const text = over === String(percentage) ? typed : String(percentage)

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!inFlight && Number(text) !== percentage) onChange(Number(text))
  }

  return (
    <Box
      role="group"
      aria-label={`Rollout of version ${version}`}
      aria-describedby={words}
      fontSize="sm"
    >
      <Flex wrap="wrap" gap="2">
        <Stops role="group" aria-label="Common percentages">
          {STOPS.map((stop) => (
            <Stop
              key={stop}
              type="button"
              aria-pressed={stop === percentage}
              aria-disabled={inFlight || undefined}
              onClick={() => !inFlight && stop !== percentage && onChange(stop)}
            >
              {stop}%
            </Stop>
          ))}
        </Stops>
        <chakra.form display="flex" gap="2" onSubmit={submit}>
          <Input
            type="number"
            inputMode="numeric"
            aria-label="Percentage"
            min={0}
            max={100}
            step={1}
            required
            className={styles.percentage}
            readOnly={inFlight}
            aria-disabled={inFlight || undefined}
            value={text}
            onChange={(event) => setDraft(`${percentage}:${event.target.value}`)}
          />
          <Button type="submit" variant="secondary" pending={inFlight} data-event="set_rollout">
            Set
          </Button>
        </chakra.form>
      </Flex>
      <Text id={words} mt="2" color="muted">
        {rolloutWords(props)}
      </Text>
    </Box>
  )
}

const Stops = chakra('div', {
  base: { display: 'flex', border: '1px solid {colors.line-strong}', borderRadius: 'md' },
})

const Stop = chakra('button', {
  base: {
    minW: '2.75rem',
    minH: 'calc(var(--target) - 2px)',
    px: '2',
    bg: 'transparent',
    border: 'none',
    borderRadius: 'calc({radii.md} - 1px)',
    color: 'muted',
    fontVariantNumeric: 'tabular-nums',
    whiteSpace: 'nowrap',
    '&[aria-pressed=true]': { bg: 'ink', color: 'paper', fontWeight: 600 },
    '&[aria-disabled=true]': { opacity: 0.6, cursor: 'progress' },
  },
})
