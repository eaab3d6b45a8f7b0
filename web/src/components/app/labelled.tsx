import { chakra, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'

interface LabelledProps {
  label: string
  hint?: string
  children: ReactNode
}

/** A field with its label over it. */
export function Labelled({ label, hint, children }: LabelledProps) {
  return (
    <chakra.label display="block" minW="0">
      <Text as="span" display="block" mb="1" fontSize="sm" fontWeight={600}>
        {label}
        {hint && (
          <Text as="span" color="quiet" fontSize="xs" fontWeight={400}>
            {' '}
            {hint}
          </Text>
        )}
      </Text>
      {children}
    </chakra.label>
  )
}
