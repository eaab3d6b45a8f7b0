import { Box, Flex, Skeleton } from '@chakra-ui/react'

/** The shape of two devices, until the real ones are known. */
export function DeviceSkeleton() {
  return (
    <Box>
      <span className="visually-hidden" role="status">
        Loading devices...
      </span>
      {['11rem', '9rem'].map((width) => (
        <Flex
          key={width}
          aria-hidden
          align="center"
          gap="4"
          minH="5rem"
          borderTop="1px solid {colors.line}"
        >
          <Skeleton boxSize="2.75rem" flexShrink={0} />
          <Box flex="1" minW={0}>
            <Skeleton height="0.875rem" width={width} maxW="80%" mb="3" />
            <Skeleton height="0.75rem" width="17rem" maxW="100%" />
          </Box>
        </Flex>
      ))}
    </Box>
  )
}
