import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { useId, type SubmitEvent } from 'react'
import { Input } from '@/components/app/field'
import { Button } from '@/components/button'
import type { Release } from '@/lib/api/types'
import { useStaffDraftOver } from '../use-staff-draft'
import styles from './rollout-form.module.css'
import { rolloutWords } from './rollout-words'

const STOPS = [0, 10, 25, 50, 100]

interface RolloutFormProps {
  release: Release
  inFlight: boolean
  onChange: (percentage: number) => void
  /** Starts a rollout that rises by itself. */
  onRaise: () => void
}

/**
 * How far a release is rolled out. A press on one of the usual stops or 'Set' sends it; what is
 * shown as chosen, and said in words, is the server's state and nothing else.
 */
export function RolloutForm({ release, inFlight, onChange, onRaise }: RolloutFormProps) {
  const { version, rolloutPercentage: percentage } = release
  const rises = Boolean(release.nextPercentage)
  const words = useId()
  const [text, setText] = useStaffDraftOver(`rollout:${version}`, String(percentage))

  // A rollout that rises by itself stays where it is once it is chosen.
  const choose = (chosen: number) => {
    if (!inFlight && (rises || chosen !== percentage)) onChange(chosen)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    choose(Number(text))
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
              onClick={() => choose(stop)}
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
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" variant="secondary" pending={inFlight} data-event="set_rollout">
            Set
          </Button>
        </chakra.form>
        {!rises && (
          <Button
            variant="secondary"
            pending={inFlight}
            data-event="raise_rollout"
            onClick={onRaise}
          >
            Raise daily from 1%
          </Button>
        )}
      </Flex>
      <Text id={words} mt="2" color="muted">
        {rolloutWords(release)}
      </Text>
    </Box>
  )
}

const Stops = chakra('div', {
  base: {
    display: 'flex',
    flexWrap: 'wrap',
    border: '1px solid {colors.line-strong}',
    borderRadius: 'md',
  },
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
    '&[aria-pressed=true]': { bg: 'ink', color: 'paper', fontWeight: 600 },
    '&[aria-disabled=true]': { opacity: 0.6, cursor: 'progress' },
  },
})
