//! Argon2id. Here rather than beside the passwords because its loops are compiled with the crate that calls them, and
//! releases compile the crate of identities for size: sign-ins took 7 % longer (`bench http --only login`, in turn).

use argon2::{Algorithm, Argon2, Block, Error, Params, Version};

/// Address space to allocate for a hash, of which only the required part is touched. glibc maps allocations above 32 MiB
/// directly and returns them to the system when they are freed. After the first free of a 19 MiB allocation it would place
/// later ones on the heap and keep them.
const MAPPED_BYTES: usize = 33 << 20;

/// The hash of a password, of argon2id version 0x13.
///
/// # Errors
/// The password or the salt is too short or too long.
pub fn derive(
    password: &[u8],
    salt: &[u8],
    params: Params,
) -> Result<[u8; Params::DEFAULT_OUTPUT_LEN], Error> {
    let mut memory: Vec<Block> = Vec::with_capacity(params.block_count().max(MAPPED_BYTES / Block::SIZE));
    memory.resize(params.block_count(), Block::default());
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into_with_memory(
        password,
        salt,
        &mut output,
        &mut memory,
    )?;
    Ok(output)
}
