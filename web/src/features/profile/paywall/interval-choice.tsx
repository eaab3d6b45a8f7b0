import { Flex } from '@chakra-ui/react'
import { Button } from '@/components/button'
import type { Interval } from './offer'

const names: Record<Interval, string> = { month: 'Monthly', year: 'Yearly' }

interface IntervalChoiceProps {
  chosen: Interval
  onChoose: (interval: Interval) => void
}

/** How often to pay. */
export function IntervalChoice({ chosen, onChoose }: IntervalChoiceProps) {
  return (
    <Flex role="group" aria-label="Pay" gap="2" mb="4">
      {(Object.keys(names) as Interval[]).map((interval) => (
        <Button
          key={interval}
          variant={interval === chosen ? 'primary' : 'secondary'}
          size="dense"
          aria-pressed={interval === chosen}
          data-event="choose_interval"
          onClick={() => onChoose(interval)}
        >
          {names[interval]}
        </Button>
      ))}
    </Flex>
  )
}
