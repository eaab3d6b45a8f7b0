import { chakra, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { Button } from '@/components/button'
import type { Release } from '@/lib/api/types'
import { QuestionDialog, type Question } from '../question'

interface RequirementProps {
  release: Release
  inFlight: boolean
  onChange: (isRequired: boolean) => void
}

/** Whether older apps have to update, of a release that all are offered: of another it cannot be asked. */
export function Requirement({ release, inFlight, onChange }: RequirementProps) {
  const [question, setQuestion] = useState<Question | null>(null)
  const { version, isRequired } = release
  const forAll = release.isAvailable && release.rolloutPercentage === 100
  if (!forAll && !isRequired) return null

  const ask = () =>
    setQuestion({
      title: `Require v${version}?`,
      text: `Installed apps on its channel that are older than v${version} are told that they have to update before they go on.`,
      action: 'Require',
      onConfirm: () => onChange(true),
    })
  return (
    <chakra.div display="flex" flexWrap="wrap" alignItems="center" gap="2" fontSize="sm">
      {isRequired && (
        <Text color="muted">
          {forAll
            ? 'Required: older apps have to update'
            : 'Required once all installed apps are offered it'}
        </Text>
      )}
      <Button
        variant="secondary"
        pending={inFlight}
        aria-label={`${isRequired ? 'Stop requiring' : 'Require'} v${version}`}
        data-event="require_release"
        onClick={() => (isRequired ? onChange(false) : ask())}
      >
        {isRequired ? 'Stop requiring' : 'Require'}
      </Button>
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
    </chakra.div>
  )
}
